"""The events of demand that becomes a watch."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

WATCHED = event(
    "wanted.watched", "A place that people look for is watched now; `by` says whether a person or the rule."
)
STOPPED = event("wanted.stopped", "A place that was wanted is no longer watched; those who asked wait again.")
ASKED = event("wanted.asked", "Somebody asked to be told about a place that people look for.")
TOLD = event("wanted.told", "Somebody who asked is subscribed to the place, which is watched now.")
NOT_KEPT = event(
    "wanted.not_kept", "Nothing looks at a provider with wanted places; the reason says what to do.", level="warning"
)
