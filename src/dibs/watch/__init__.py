"""Watching: from looks at outside providers to openings in the hub.

    due --claim (lease + lane)--> look (requests, no connection held) --> settle (one transaction, fenced)

What is authoritative:

* `watch` holds what is watched and when it is due; whoever holds its lease is its only poller.
* `watch_slot` is what a watch sees now. The hub's `slot` is open while any fresh watch sees it.
* `detect` decides, purely: `detect(state, observation, policy, now)` gives every difference a verdict with a
  reason. An event needs a closed→open edge that was really seen.

States of a watch, the first that applies:

    paused · failing (a mistake only a person can mend, or 5 failures in a row) · suspect (the gate holds)
    · degraded (last look failed or partial, or the provider is at its careful pace) · healthy

What happens on failure: a failed look is no look; nothing opens or closes. A partial one may open, never
close. A sudden drop is held back by the gate until it recovers or is confirmed. A worker that dies loses its
lease, and the watch is due again; what it had fetched is written by nobody.

An unchanged answer (304, or the same hash while nothing is undecided) costs a heartbeat; a changed one writes
only the rows that changed.
"""

from dibs.watch.ingest import Ingest, Reconciled
from dibs.watch.load_catalog import CatalogLoader
from dibs.watch.poll import Poller, PollLoop
from dibs.watch.provider import WatchedProvider, watched_providers
from dibs.watch.result import PollResult
from dibs.watch.retention import SnapshotRetention
from dibs.watch.watches import Watch, Watches
from dibs.watch.window import RollingWindows

__all__ = [
    "CatalogLoader",
    "Ingest",
    "PollLoop",
    "PollResult",
    "Poller",
    "Reconciled",
    "RollingWindows",
    "SnapshotRetention",
    "Watch",
    "WatchedProvider",
    "Watches",
    "watched_providers",
]
