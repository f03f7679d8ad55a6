"""Tells the right people, once, when it still matters.

**What is authoritative.** `subscription` says who wants to know what; its rows are never deleted. `notification`
is one event for one subscription, unique by the two; it is the queue, the proof and the archive. Whether
somebody knows of an opening already is not stored anywhere: they do if a notice of this slot was sent, or is on
its way, since the slot last closed. So a Closed event resets everybody at once, by being there.

**Flow.** An opening is inserted; a trigger puts it into `fanout` in the same transaction. `FanOut` claims it and
writes all its notices with one statement, in the transaction that settles the claim. `Deliver` claims notices,
decides, sends with no connection held, and settles. Each stage can run in any number of processes.

    pending --accepted--> sent
       | ^--- retry later (schedule, jitter, Retry-After); outside its hours: waits for them
       +--- skipped  (snoozed, capped, paused, unverified, bad recipient …: the reason says it)
       +--- failed   (no attempt left, or the other side said never)
       +--- expired  (closed_meanwhile, too_old)

    subscription: pending --first notice accepted, or link followed--> active <--resume-- paused | suppressed
                  paused: by hand, or max_notifications reached · suppressed: 410, or failing for days
                  unsubscribed: the end, from everywhere

**Once.** The unique key makes a notice at most once per event and subscription. The lease makes one worker send
it, and is committed before the send begins. A worker that dies between the other side's acceptance and our commit
leaves its lease standing ("maybe sent"); when that ends the next worker sends again under the same webhook-id or
Message-ID, by which the receiver can tell. Nothing else repeats a send.

**Caps.** A notice of a capped subscription takes a place when it is made, under the subscription's row lock, and
gives it back when it ends unsent. So many openings at once cannot exceed it. A fan-out that looked before a cap was
set makes notices without a place; they need one to be sent. Locks: notices first, then their subscription.

**Confirming.** With `verify_email` a mail address is told nothing until it followed a link. Subscribing again sends
the link again, at most once in ten minutes per address, whatever the topic; the answer is the same either way.

**Failure.** A slow host fills its own lane and nobody else's (`lanes`). What a channel raises is caught per notice.
If outcomes cannot be written the leases end and the notices are sent again. An address that fails for
`suppress_after_days` without a success is suppressed; faults of our own relay are not held against it.
"""

from dibs.notify.domain import Notify, build_notify
from dibs.notify.manage import Change
from dibs.notify.subscribe import Subscribed, Wish

__all__ = ["Change", "Notify", "Subscribed", "Wish", "build_notify"]
