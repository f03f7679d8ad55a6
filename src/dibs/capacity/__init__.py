"""Capacity: which tables a party gets, and that nobody else gets them too.

**Authoritative** is one table, `allocations`: a row is a claim of one table for one blocked window, by a booking or by
a hold. Its exclusion constraint refuses two rows of one table that overlap, whoever writes them and however. All
else (floors remembered by a process, selections, quotes) is advice; only a claim counts.

**States.**

    hold      held ──confirm──▶ confirmed            booking   pending ──assign/confirm──▶ confirmed ──▶ seated
               ├──release──▶ released                             ▲                           │             │
               └──its time──▶ expired                             └────────unassign───────────┘             ▼
                                                        any of them ──▶ cancelled | no_show | expired     completed

A hold is over at `expires_at`, swept or not: it no longer blocks (the transaction that needs its room clears it) and
can no longer be confirmed. The sweeper only tidies and tells.

**The flow.** `quote` reads what is taken once, `select` (pure) ranks the sets of tables, `place_hold` in the database
holds the first that is still free. `confirm_hold` turns the hold's claims into the booking's in one transaction.
`assign_tables` does the same without a hold. Each of them takes the lock of (zone, service date), repeats every check
and writes the first answer down under the caller's idempotency key, so that a repeat is answered, not repeated.

**Failure.** A lost race is a 409 with a code. A deadlock or serialization failure is tried once more. A process that
dies in the middle leaves nothing: each step is one transaction. Telemetry is buffered and may be dropped (counted),
never waited for.
"""

from dibs.capacity.book import (
    assign_tables,
    book,
    cancel_booking,
    confirm_hold,
    get_booking,
    list_bookings,
    set_status,
    unassign_tables,
)
from dibs.capacity.context import Capacity
from dibs.capacity.fit import fitting_starts, longest_stay
from dibs.capacity.floor import floor_claims, list_restaurants, put_floor, read_floor, table_states
from dibs.capacity.hold import extend_hold, get_hold, hold_tables, list_holds, release_hold, validate
from dibs.capacity.quote import Filters, Quote, quote
from dibs.capacity.when import Occasion

__all__ = [
    "Capacity",
    "Filters",
    "Occasion",
    "Quote",
    "assign_tables",
    "book",
    "cancel_booking",
    "confirm_hold",
    "extend_hold",
    "fitting_starts",
    "floor_claims",
    "get_booking",
    "get_hold",
    "hold_tables",
    "list_bookings",
    "list_holds",
    "list_restaurants",
    "longest_stay",
    "put_floor",
    "quote",
    "read_floor",
    "release_hold",
    "set_status",
    "table_states",
    "unassign_tables",
    "validate",
]
