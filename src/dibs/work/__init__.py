"""Due work: one way to claim it, one way to give it back, one loop around it.

**The table is the queue.** Any table with `due_at`, `lease_token`, `lease_until` and `leased_by` is one. A row is
due when `due_at` has come and nobody holds a live lease on it:

    waiting --due_at comes--> due --claim--> leased --settle (token fits)--> waiting, or done (due_at null)
                               ^                |
                               +-- lease ends --+   (the worker died, or is too slow: its token no longer fits)

* `claim` takes a batch with `FOR UPDATE SKIP LOCKED` in a short transaction of its own; the work is then done
  with no connection held.
* `settle` is the first statement of the transaction that writes the outcome. It answers which items are still
  ours; whoever lost a lease writes nothing for it. That is the fence.
* Times are compared by the database's clock, so hosts need not agree. A fake clock is handed through.
* `Wake` shortens waits over LISTEN/NOTIFY. Missing a notification only costs latency: a `Loop` also looks by
  itself. A loop survives every error, with backoff, and drains when it is told to stop.
"""

from dibs.work.backlog import Backlog, measure_backlog
from dibs.work.lease import Claim, Queue, claim, renew, settle
from dibs.work.loop import Loop
from dibs.work.wake import Wake

__all__ = ["Backlog", "Claim", "Loop", "Queue", "Wake", "claim", "measure_backlog", "renew", "settle"]
