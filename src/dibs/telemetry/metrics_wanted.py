"""Prometheus metrics of demand that becomes a watch."""

from __future__ import annotations

from prometheus_client import Counter

from dibs.telemetry.metrics import REGISTRY

VERDICTS = Counter(
    "dibs_wanted_verdicts", "Looks for a wanted place among the known ones, by reason.", ["reason"], registry=REGISTRY
)
WATCHED = Counter(
    "dibs_wanted_watched", "Requests that became watched, by whom (person or rule).", ["by"], registry=REGISTRY
)
ASKS = Counter("dibs_wanted_asks", "People who asked to be told about a wanted place.", registry=REGISTRY)
