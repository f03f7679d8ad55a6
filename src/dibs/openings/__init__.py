"""The hub: every slot that can be booked, every transition of it, and the feed that people read.

Whoever sees a transition (`watch` for outside providers, `signals` for own inventory) saves the slots and
records the events in one transaction; whoever tells people (`notify`, the feed, the stream) reads them here.

* `slot` is the present: one row per bookable thing, whoever saw it. Authoritative for "is it open now".
* `open_event` is the past: append-only, one row per transition, unique by `dedupe_key`. An insert that meets its
  key is no error and no event.
* A slot's `last_event_id` names the opening it stands for; a slot that comes back inside its dedupe window is
  open under the same event, so that event is `still_open` again.

    Closed --seen--> Open (event, +1) --missed as often as the policy says--> Closed (event, -1)

Following without gaps: ids are given out before they commit, so a reader that only remembers the largest id can
miss one. `Stream` reads in the order (transaction, id) and only behind the oldest running transaction.
"""

from dibs.openings.feed import (
    EventFilter,
    count_open_now,
    count_per_hour,
    get_event,
    list_documents,
    list_events,
    list_slots,
)
from dibs.openings.model import (
    HourCount,
    NewEvent,
    OpenEvent,
    OpenNow,
    RecordedEvent,
    Slot,
    SlotClosing,
    SlotState,
    slot_id_of,
    topics_of,
)
from dibs.openings.record import (
    close_slots,
    count_misses,
    distrust_looks,
    hand_over_slots,
    put_slots,
    record,
    relabel_slots,
    reopen_slots,
)
from dibs.openings.stream import Stream

__all__ = [
    "EventFilter",
    "HourCount",
    "NewEvent",
    "OpenEvent",
    "OpenNow",
    "RecordedEvent",
    "Slot",
    "SlotClosing",
    "SlotState",
    "Stream",
    "close_slots",
    "count_misses",
    "count_open_now",
    "count_per_hour",
    "distrust_looks",
    "get_event",
    "hand_over_slots",
    "list_documents",
    "list_events",
    "list_slots",
    "put_slots",
    "record",
    "relabel_slots",
    "reopen_slots",
    "slot_id_of",
    "topics_of",
]
