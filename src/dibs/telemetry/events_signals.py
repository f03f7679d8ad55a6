"""What own inventory says about itself."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

PRODUCT_PUT = event("signals.product.put", "A product was made or changed, with its dates and signals.")
CADENCE_TICKED = event("signals.cadence.ticked", "A tick brought the dirty signals of a cadence up to date.")
SIGNALS_ENDED = event("signals.signals.ended", "Signals have passed the end of their date.")
SIGNALS_REMOVED = event("signals.signals.removed", "Expired signals past their retention were removed.")
AUDITED = event("signals.audit.done", "Every clean signal was compared with the truth.")
DRIFT_FOUND = event(
    "signals.drift.found",
    "A clean signal differs from the truth. This must never happen: the cache has missed a change.",
    level="error",
)
