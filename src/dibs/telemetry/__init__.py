"""What the product says about itself: one catalogue of events, logs, metrics, traces.

An event has a name from the catalogue (`events`), is logged once with its fields and counted. Names are
stable: people alert on them. Secrets never go into fields.
"""

from dibs.telemetry import (
    events,
    events_capacity,
    events_notify,
    metrics,
    metrics_capacity,
    metrics_notify,
)
from dibs.telemetry.log import configure_logs, emit
from dibs.telemetry.metrics import REGISTRY
from dibs.telemetry.trace import configure_traces, new_trace_id, span

__all__ = [
    "REGISTRY",
    "configure_logs",
    "configure_traces",
    "emit",
    "events",
    "events_capacity",
    "events_notify",
    "metrics",
    "metrics_capacity",
    "metrics_notify",
    "new_trace_id",
    "span",
]
