"""The events of the console."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

REFRESH_FAILED = event("console.refresh.failed", "A live page could not look again; it tries on.", level="warning")
PAGE_FAILED = event("console.page.failed", "A page could not be built.", level="error")
