"""Prometheus metrics of collecting, processing and enriching."""

from __future__ import annotations

from prometheus_client import Counter

from dibs.telemetry.metrics import REGISTRY

POSTS = Counter("dibs_collect_posts", "Posts that searches found, each once per run.", registry=REGISTRY)
COMMENTS = Counter("dibs_collect_comments", "Comments that were loaded.", registry=REGISTRY)
MENTIONS = Counter("dibs_collect_mentions", "Mentions that were new.", registry=REGISTRY)
LOOK_UPS = Counter("dibs_collect_look_ups", "Restaurants looked up, by result.", ["result"], registry=REGISTRY)
