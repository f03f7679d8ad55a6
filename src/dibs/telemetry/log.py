"""Logs: JSON for machines, coloured lines for a terminal; one event, one line."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog
from structlog.typing import Processor

from dibs.telemetry import metrics
from dibs.telemetry.catalogue import Event

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

_log: Any = structlog.get_logger("dibs")


def configure_logs(level: str = "info", layout: str = "auto") -> None:
    """Chooses level and layout: `json`, `human`, or `auto` (human on a terminal)."""
    human = layout == "human" or (layout == "auto" and sys.stderr.isatty())
    renderer: Processor = structlog.dev.ConsoleRenderer() if human else structlog.processors.JSONRenderer()
    processors: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not human:
        processors.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        # Looked up at every line: whoever replaced stderr for a while (a test, a command in process) closes its own.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def emit(event: Event, *, exc_info: BaseException | None = None, **fields: Any) -> None:
    """Says that something happened: one line in the log, one on the counter."""
    metrics.EVENTS.labels(event.name).inc()
    if exc_info is not None:
        fields["exc_info"] = exc_info
    getattr(_log, event.level)(event.name, **fields)
