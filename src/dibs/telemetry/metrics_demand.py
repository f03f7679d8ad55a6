"""Prometheus metrics of demand and its collection."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from dibs.telemetry.metrics import REGISTRY

SIGHTINGS = Counter(
    "dibs_demand_sightings", "Wanted things that were seen, by decision.", ["decision"], registry=REGISTRY
)
RUNS = Counter("dibs_demand_runs", "Collection runs, by outcome.", ["outcome"], registry=REGISTRY)
RUN_SECONDS = Histogram(
    "dibs_demand_run_seconds",
    "How long a collection run took.",
    buckets=(1, 5, 15, 60, 300, 900, 3600, 7200, 14400),
    registry=REGISTRY,
)
WAITING = Gauge("dibs_demand_waiting", "Collection requests in the queue.", registry=REGISTRY)
SEARCH_SECONDS = Histogram(
    "dibs_search_seconds",
    "How long a search took.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
    registry=REGISTRY,
)
