"""Metrics of own inventory."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from dibs.telemetry.metrics import REGISTRY

ESTIMATED = Counter("dibs_signals_estimated", "Signals estimated by ticks, by cadence.", ["cadence"], registry=REGISTRY)
SKIPPED = Counter(
    "dibs_signals_skipped",
    "Dirty signals that a tick passed over, by cadence.",
    ["cadence"],
    registry=REGISTRY,
)
TICK_SECONDS = Histogram("dibs_signals_tick_seconds", "How long a tick took.", ["cadence"], registry=REGISTRY)
DRIFTS = Counter("dibs_signals_drifts", "Clean signals that differed from the truth.", registry=REGISTRY)
ALLOCATIONS = Counter(
    "dibs_allocations", "Allocations and releases, by outcome.", ["verb", "outcome"], registry=REGISTRY
)
LAST_AUDIT = Gauge(
    "dibs_signals_last_audit_timestamp_seconds", "When the drift audit last finished.", registry=REGISTRY
)
