"""What people looked for and did not find: recorded always, collected when it is worth it.

**Authority.** `collection_request` is the demand: one row per (term, type, reason) and, for a restaurant, per
place. `collection_target` is the right to run: one row per (term, type, place of the run). It carries the
cooldown and the sort history whatever the reason was, and names the one request that runs there. Nothing runs
without it, so nothing runs twice at once or inside its cooldown.

    search ─ sight ─▶ pending, due_at null ......... recorded only (no place, small viewport, enough results)
                │
                ├──▶ pending, due_at = cooldown .... deferred, or failed: tried again by itself
                │        │ promote (when little waits)
                └──▶  queued ─ claim ─▶ processing ─ settle ─▶ completed, due_at = end of its cooldown
                         ▲                  │                      │ promote
                         │                  └─ lease ends: claimed again
                         └────────────────────────────────────────┘

* `decide` is the only place that says whether and why not; `sight` records first and asks it then.
* `cooldown`, `sorts` and `eta` are the other rules. All are pure.
* `collect` runs a request: search (posts only) → load (comments) → extract → enrich. It lives beside this.

**Failure.** A failed search is an error with a short backoff and never "no results". A worker that dies loses
its lease and the request is claimed again; what it wrote is idempotent. A sighting never clears a cooldown or
the sort history. An administrator's `run` does skip the cooldown, and nothing else.
"""
