"""The catalogue of events of demand and its collection."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

REQUEST_DECIDED = event("demand.request.decided", "Something that was looked for was queued or deferred.")
REQUEST_QUEUED_BY_HAND = event("demand.request.run", "An administrator asked for a collection now.")
REQUESTS_PROMOTED = event("demand.requests.promoted", "Requests whose rest is over joined the queue.")
RUN_STARTED = event("demand.run.started", "A collection run started.")
RUN_FINISHED = event("demand.run.finished", "A collection run ended; the outcome says how.")
RUN_LOST = event("demand.run.lost", "A run lost its lease; what it had found is found again.", level="warning")
COMMUNITY_SAMPLED = event("demand.community.sampled", "A community's activity was sampled from its newest posts.")
COMMUNITY_UNREAD = event(
    "demand.community.unread", "A community could not be sampled; it is tried again.", level="warning"
)
