"""Where the stages join: the line, an offer with its hold, and the claim.

**The line.** A person who found nothing free on an own floor takes a place: a party size and a range of start times on
one day. `line_place` is authoritative for the order (`rank`), `offer` for what was offered, `allocations` (capacity)
for what is really kept.

    place:  waiting ──room that fits──▶ offered ──claimed──▶ served
               ▲                          │
               └──declined, or let lapse──┘ (that start goes to the next; after `max_lapses` it leaves)
            waiting ──its last start has passed──▶ expired · left by hand

    offer:  live ──▶ claimed | declined | lapsed | withdrawn

**Flow.** Whatever frees a table (a cancellation, an expired hold, a changed floor, raw SQL) marks the day in
`line_check`, by trigger, in the same transaction. `Usher` takes the day, goes through the line in order and gives the
first who fits a hold and an offer. The offer is an opening like any other, kept for one person: `notify` tells them,
with a claim link that is good for as long as the hold. `Claim` turns the hold into a booking.

**Fairness** (`rules`). In line order, everybody who fits is served; who does not fit is passed over, so a large party
does not block smaller ones behind it. A party that was passed over `max_passed` times comes first: until it is served
or `first_for_s` is over, nobody behind it is offered room that overlaps the times it waits for. So it is not starved.

**Never two.** One live offer per place (unique index), one claim per table (exclusion constraint), one usher per day
(lease and advisory lock). A crash between hold and offer leaves a hold that expires; between offer and notice, the
event is there and is told by whoever comes next. A claim is idempotent: the hold is confirmed under the offer's id.
"""

from dibs.offers.claim import Claim, ClaimView
from dibs.offers.join import Join, Joined, Wish
from dibs.offers.line import Line
from dibs.offers.model import Place, Settings
from dibs.offers.usher import Usher

__all__ = ["Claim", "ClaimView", "Join", "Joined", "Line", "Place", "Settings", "Usher", "Wish"]
