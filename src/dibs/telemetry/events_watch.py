"""Events of watching and of the providers' pace."""

from dibs.telemetry.catalogue import event

WATCH_CREATED = event("watch.created", "A watch was added.")
WATCH_REMOVED = event("watch.removed", "A watch was removed, by a person or because its day has passed.")
WATCH_FAILING = event("watch.failing", "A watch has gone bad; said once.", level="warning")
WATCH_RECOVERED = event("watch.recovered", "A watch that was failing is good again; said once.")
WATCH_SUSPECT = event(
    "watch.suspect", "An answer lost too much at once; nothing closes until it is clear.", level="warning"
)
WATCH_TRUSTED = event("watch.trusted", "A suspect watch is believed again: recovered, or its drop was accepted.")
WATCH_POLLED = event("watch.polled", "A look that changed something was settled.", level="debug")
WATCH_BROKEN = event("watch.broken", "A look ended in an error of ours; the watch says which.", level="error")
WATCH_LEASE_LOST = event(
    "watch.lease.lost", "A look came back after its lease had ended; nothing was written.", level="warning"
)
RECORDS_SKIPPED = event(
    "watch.records.skipped", "Records of an answer could not be read and were skipped.", level="warning"
)
RECORDING_FAILED = event(
    "watch.recording.failed", "An answer could not be recorded; it was detected all the same.", level="warning"
)
PROVIDER_PAUSED = event(
    "provider.paused", "A provider is in trouble; nobody asks it for a while, then carefully.", level="warning"
)
PROVIDER_RECOVERED = event("provider.recovered", "A provider is asked at its normal pace again.")
CATALOG_LOADED = event("watch.catalog.loaded", "A catalog of sections was read.")
CATALOG_FAILED = event("watch.catalog.failed", "A catalog could not be read.", level="warning")
SNAPSHOTS_DROPPED = event("watch.snapshots.dropped", "Days of snapshots past their retention were dropped.")
