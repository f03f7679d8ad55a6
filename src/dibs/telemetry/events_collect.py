"""The catalogue of events of collecting, processing and enriching."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

RUN_BROKE = event("demand.run.broke", "A run ended in an unexpected error; it is tried again.", level="error")
PLACE_ATTACHED = event("demand.place.attached", "A restaurant was found in Google Places.")
PLACE_REFRESHED = event("demand.place.refreshed", "What is known of a place was read again.", level="debug")
PLACE_MERGED = event("demand.place.merged", "Two restaurants turned out to be one place and were merged.")
PLACE_OWNED = event(
    "demand.place.owned", "The place belongs to a restaurant of another community; nothing was attached."
)
PLACE_UNKNOWN = event("demand.place.unknown", "Google Places knows no such restaurant there.")
PLACE_FAILED = event("demand.place.failed", "A restaurant could not be looked up; it is tried again.", level="warning")
PLACES_FORGOTTEN = event("demand.places.forgotten", "What was kept of places for too long was removed.")
