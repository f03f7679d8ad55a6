"""Prometheus metrics of the foundation, on a registry of our own; each domain adds its own module."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()

EVENTS = Counter("dibs_events", "Events of the catalogue, by name.", ["event"], registry=REGISTRY)
LOOP_SECONDS = Histogram("dibs_loop_pass_seconds", "How long a pass of a loop took.", ["loop"], registry=REGISTRY)
LOOP_LAST_PASS = Gauge(
    "dibs_loop_last_pass_timestamp_seconds", "When a loop last finished a pass.", ["loop"], registry=REGISTRY
)
REQUESTS = Counter(
    "dibs_http_requests",
    "Requests, by route, method and status.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "dibs_http_request_seconds",
    "How long a request took.",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=REGISTRY,
)
OPENINGS = Counter("dibs_openings", "Open events recorded, by provider.", ["provider"], registry=REGISTRY)
