"""Prometheus metrics of capacity."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from dibs.telemetry.metrics import REGISTRY

QUOTES = Counter(
    "dibs_capacity_quotes", "Quotes answered, by reason (`held` when tables were found).", ["reason"], registry=REGISTRY
)
SELECT_SECONDS = Histogram(
    "dibs_capacity_select_seconds",
    "How long the selector took.",
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1),
    registry=REGISTRY,
)
CONFLICTS = Counter(
    "dibs_capacity_conflicts", "Refused holds, confirms and assigns, by code.", ["code"], registry=REGISTRY
)
HOLDS_SWEPT = Counter("dibs_capacity_holds_swept", "Holds that the sweeper ended or told of.", registry=REGISTRY)
OBSERVATIONS_WAITING = Gauge(
    "dibs_capacity_observations_waiting", "Observations not written to the database yet.", registry=REGISTRY
)
OBSERVATIONS_DROPPED = Counter(
    "dibs_capacity_observations_dropped", "Observations lost because the buffer was full.", registry=REGISTRY
)
