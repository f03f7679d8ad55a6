"""Where the stages join: the line, an offer with what it keeps, and the claim.

**The line.** A person who found nothing free takes a place. In the line of a *restaurant's day* they wait for a
table: a party size and a range of start times. In the line of a *product* (campsites, day passes) they wait for a
quantity on one of the dates from the first to the last. `line_place` is authoritative for the order (`rank`, within
`line_key`), `offer` for what was offered, `allocations` (capacity) and `allocation` (signals) for what is really
kept.

    place:  waiting ──room that fits──▶ offered ──claimed──▶ served
               ▲                          │
               └──declined, or let lapse──┘ (that start goes to the next; after `max_lapses` it leaves)
            waiting ──nothing left to wait for──▶ expired · left by hand · the product is gone ──▶ left

    offer:  live ──▶ claimed | declined | lapsed | withdrawn

**Flow.** Whatever makes room (a cancellation, a release, an expired hold, a changed floor or capacity, raw SQL) marks
the line in `line_check`, by trigger, in the same transaction. `Usher` takes the line, goes through it in order and
gives the first who fits an offer. The offer is an opening like any other, kept for one person: `notify` tells them,
with a claim link that is good for as long as the offer. `Claim` ends offers: it is theirs, or the next one's.

**Two kinds of room** (`room`). A `Keeper` opens the `Room` of a line for one look and knows what becomes of what an
offer keeps. `floor_room`: a hold, which becomes a booking. `pool_room`: an allocation named by the offer's id, which
stays. What the rules need of it is a `Ground` (`floor_rules`, `pool_rules`), pure.

**Fairness** (`rules`). In line order, everybody who fits is served; who does not fit is passed over, so that who
wants much does not block those behind. A place that was passed over `max_passed` times comes first: until it is
served or `first_for_s` is over, nobody behind it is offered room that it could need. So it is not starved. Room that
opens while an usher walks is not given to whoever happens to be asked then: the next look starts at the front again.

**Never two.** One live offer per place (unique index); one claim per table (exclusion constraint), never more than
the capacity of a date (its row is held while it is checked); one usher per line (lease and advisory lock). On a floor
a crash between hold and offer leaves a hold that expires; on a pool allocation and offer are one transaction, so
there is never one without the other. Between offer and notice, the event is there and is told by whoever comes next.
A claim is idempotent: the hold is confirmed under the offer's id, a pool's offer is claimed in one conditional
update.

**Order of locks.** The line (advisory) · offer · place · date or table · `line_check`.
"""

from dibs.offers.claim import Claim, ClaimView
from dibs.offers.floor_room import FloorKeeper
from dibs.offers.join import Join, Joined
from dibs.offers.line import Line
from dibs.offers.model import Place, Settings
from dibs.offers.pool_room import PoolKeeper
from dibs.offers.prune import PruneLine
from dibs.offers.room import Keepers
from dibs.offers.usher import Usher
from dibs.offers.wish import Wish

__all__ = [
    "Claim",
    "ClaimView",
    "FloorKeeper",
    "Join",
    "Joined",
    "Keepers",
    "Line",
    "Place",
    "PoolKeeper",
    "PruneLine",
    "Settings",
    "Usher",
    "Wish",
]
