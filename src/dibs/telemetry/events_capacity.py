"""The catalogue of events of capacity. Each also becomes a row of observability_events."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

SELECTOR_QUOTE = event("capacity.selector.quote", "A quote was answered, with or without a candidate.", level="debug")
HOLD_CREATED = event("capacity.hold.created", "Tables were held for a party.", level="debug")
HOLD_CONFIRMED = event("capacity.hold.confirmed", "A hold became the assignments of a booking.", level="debug")
HOLD_EXPIRED = event("capacity.hold.expired", "A hold ran out; its tables are free.", level="debug")
HOLD_RELEASED = event("capacity.hold.released", "A hold was given back before it ran out.", level="debug")
RPC_CONFLICT = event("capacity.rpc.conflict", "A hold, confirm or assign was refused with a 409 or 410.", level="debug")
FLOOR_CHANGED = event("capacity.floor.changed", "A restaurant's floor was replaced.")
OBSERVATIONS_DROPPED = event(
    "capacity.observations.dropped",
    "The buffer of observability_events overflowed or could not be written.",
    level="warning",
)
