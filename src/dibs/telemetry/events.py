"""The catalogue of events of the foundation; each domain adds its own in `events_<domain>`."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

STARTED = event("dibs.started", "A process has started its loops and faces.")
STOPPED = event("dibs.stopped", "A process has drained and stopped.")
MIGRATED = event("db.migrated", "The schema was brought to the version of the code.")
SERVER_REVIVED = event("db.server.revived", "The embedded PostgreSQL had died and was started again.", level="warning")
LOOP_FAILED = event("work.loop.failed", "A pass of a loop failed; it is tried again after a pause.", level="error")
WAKE_LOST = event(
    "work.wake.lost", "The listening connection was lost; waits are longer until it is back.", level="warning"
)
TOKEN_CREATED = event("access.token.created", "A token was created.")
TOKEN_REVOKED = event("access.token.revoked", "A token was revoked.")
REQUEST_FAILED = event("api.request.failed", "A request ended in an unexpected error.", level="error")
OPENING_RECORDED = event("openings.event.recorded", "Open or Closed events were recorded.", level="debug")
EVENTS_PRUNED = event("openings.events.pruned", "Events past their retention were removed.")
