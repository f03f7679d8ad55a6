"""Own inventory: products, their dates, and a cached availability that always catches up.

What is authoritative
    `product_date` is the truth: capacity, and what is allocated (the sum of the live rows of `allocation`). A product
    that stands on a restaurant's floor takes its truth from there (`floor_truth`). `availability_signal` is the cache
    and nothing else: it can be thrown away and estimated again. The view `product_date_truth` is the only definition
    of what is available; seeding, estimating, fresh reads and the audit all use it.

The signal
    Two counters, not a bit. `changes` is raised by triggers in the transaction of every change, raw SQL included;
    `seen` is how many of them the cached answer includes; the signal is dirty while they differ.

        seeded --> clean --change--> dirty --tick--> clean        (a change during the tick: still dirty)
                     ^_________________________________|
        clean or dirty --the date ends in the product's zone--> expired (never served) --retention--> removed

    A tick reads counter and truth in one snapshot without a lock, then writes the answer with the counter that it
    read. What was committed since is not in `seen`, so the signal stays dirty. Nobody waits for an estimate.

    A change of a hot date costs one update of its signal, behind the row of the date that the writer holds anyway.
    Changes of a floor have no such common row, so they are appended to `floor_change` and folded in by the next tick.

Failure
    A tick is a chain of small transactions; a crash loses at most the one that runs, and its signals stay dirty.
    Ticks may overlap: a row that somebody holds is passed over and tried once more at the end, and an estimate that
    is older than the cached one is dropped. Each schedule is a leased row, so a due tick runs once among all
    processes; one that was missed runs once. From nothing to something the tick records an open event in the same
    transaction as the new value, back to nothing a close, so an edge is neither lost nor told twice.
"""
