"""Metrics of watching."""

from prometheus_client import Counter, Histogram

from dibs.telemetry.metrics import REGISTRY

POLLS = Counter("dibs_polls", "Polls, by provider and outcome.", ["provider", "outcome"], registry=REGISTRY)
POLL_SECONDS = Histogram(
    "dibs_poll_seconds", "How long the requests of one poll took.", ["provider"], registry=REGISTRY
)
RECORDS_SKIPPED = Counter(
    "dibs_records_skipped", "Unreadable records in providers' answers.", ["provider"], registry=REGISTRY
)
