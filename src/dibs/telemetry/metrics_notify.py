"""Metrics of notify."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from dibs.telemetry.metrics import REGISTRY

NOTICES = Counter(
    "dibs_notices",
    "Outcomes of notices, by channel: sent, retried, failed, skipped, expired, waiting.",
    ["channel", "outcome"],
    registry=REGISTRY,
)
PENDING = Gauge("dibs_notices_pending", "Notices that wait to be sent.", registry=REGISTRY)
OLDEST_PENDING = Gauge("dibs_notices_oldest_pending_seconds", "Age of the oldest notice that waits.", registry=REGISTRY)
INTERRUPTED = Gauge(
    "dibs_notices_interrupted", "Notices that may have been sent by a worker that ended.", registry=REGISTRY
)
OPENING_TO_SENT = Histogram(
    "dibs_opening_to_sent_seconds",
    "From the detection of an opening to the acceptance of its notice.",
    ["channel"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200, 43200),
    registry=REGISTRY,
)
