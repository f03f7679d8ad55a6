"""The events of the demo."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

ACT_FAILED = event("demo.act.failed", "A deed of the demo's people failed unexpectedly.", level="warning")
