"""Says what became of a notice: counters and the log."""

from __future__ import annotations

from datetime import datetime
from functools import cache

from dibs.notify.model import DueNotice, Opening, Settlement
from dibs.telemetry import emit, metrics_notify
from dibs.telemetry import events_notify as events

# Looking a labelled metric up costs more than counting, and this is counted for every notice.
_notices = cache(metrics_notify.NOTICES.labels)
_opening_to_sent = cache(metrics_notify.OPENING_TO_SENT.labels)


def report(notice: DueNotice, opening: Opening | None, settlement: Settlement, now: datetime) -> None:
    outcome = _outcome(settlement)
    _notices(notice.channel, outcome).inc()
    if outcome == "sent" and opening:
        took = max((now - opening.event.event_at).total_seconds(), 0.0)
        _opening_to_sent(notice.channel).observe(took)
    elif outcome in ("failed", "retried"):
        emit(
            events.NOTICE_FAILED if outcome == "failed" else events.NOTICE_RETRIED,
            notification_id=notice.notification_id,
            subscription_id=notice.subscription_id,
            open_event_id=notice.open_event_id,
            trace_id=opening.event.trace_id if opening else None,
            channel=notice.channel,
            reason=settlement.reason,
            error=settlement.error,
            attempts=notice.fanout_attempts + 1,
        )


def _outcome(settlement: Settlement) -> str:
    if settlement.status != "pending":
        return settlement.status
    return "retried" if settlement.attempted else "waiting"
