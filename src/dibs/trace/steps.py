"""The steps of an opening's life, in the order in which they happened. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from dibs.notify.model import Notification
from dibs.offers.model import Offer
from dibs.openings import OpenEvent
from dibs.watch.state_store import Snapshot

ENDINGS = {
    "claimed": "claimed: it is theirs",
    "declined": "declined; it went to the next in line",
    "lapsed": "not claimed in time; it went to the next in line",
    "withdrawn": "withdrawn",
}


class Step(Struct, frozen=True, kw_only=True):
    """One thing that happened: `stage` names the part of the product, `what` says it to people."""

    at: datetime
    stage: str
    what: str
    reason: str | None = None
    after_s: float
    facts: dict[str, Any] = {}


def steps_of(
    event: OpenEvent,
    snapshot: Snapshot | None,
    fanout: dict[str, Any] | None,
    notices: Sequence[Notification],
    offers: Sequence[Offer],
) -> list[Step]:
    """Everything known about the opening, oldest first; `after_s` counts from its detection."""
    found = [
        *_seen(event, snapshot),
        *_offered(event, offers),
        *_fanned_out(event, fanout),
        *(step for notice in notices for step in _told(event, notice)),
        *_closed(event),
    ]
    return sorted(found, key=lambda step: step.at)


def _step(event: OpenEvent, at: datetime, stage: str, what: str, reason: str | None = None, **facts: Any) -> Step:
    after = round((at - event.event_at).total_seconds(), 3)
    return Step(at=at, stage=stage, what=what, reason=reason, after_s=after, facts=facts)


def _seen(event: OpenEvent, snapshot: Snapshot | None) -> Iterator[Step]:
    if snapshot:
        yield _step(
            event,
            snapshot.seen_at,
            "watch",
            f"{snapshot.watch_key} was looked at: {snapshot.outcome}, {snapshot.open_count} open",
            snapshot.reason or None,
            snapshot_id=snapshot.snapshot_id,
            duration_ms=snapshot.duration_ms,
        )
    edge = f"{event.status_before} → {event.status_after}"
    yield _step(event, event.event_at, "openings", f"it counted: {edge}", event.reason, detected_by=event.detected_by)


def _fanned_out(event: OpenEvent, fanout: dict[str, Any] | None) -> Iterator[Step]:
    if fanout and fanout.get("finished_at"):
        what = f"{fanout['pending']} to be told, {fanout['skipped']} skipped"
        yield _step(event, fanout["finished_at"], "notify", what)


def _told(event: OpenEvent, notice: Notification) -> Iterator[Step]:
    at = notice.finished_at or notice.last_attempt_at or notice.created_at
    what = f"subscription {notice.subscription_id}: {notice.fanout_status}"
    yield _step(
        event,
        at,
        "notify",
        what,
        notice.reason or notice.error,
        notification_id=notice.notification_id,
        attempts=notice.fanout_attempts,
    )


def _offered(event: OpenEvent, offers: Sequence[Offer]) -> Iterator[Step]:
    for offer in offers:
        what = f"place {offer.place_id} was offered {_kept(offer)}, held until {offer.expires_at:%H:%M:%S} UTC"
        by = {"reference": offer.reference} if offer.product else {"hold_id": str(offer.hold_id)}
        yield _step(event, offer.offered_at, "offers", what, **by)
        if offer.ended_at:
            booking = {"booking_id": str(offer.booking_id)} if offer.booking_id else {}
            ended = f"place {offer.place_id}: {ENDINGS[offer.status]}"
            yield _step(event, offer.ended_at, "offers", ended, offer.status, **booking)


def _kept(offer: Offer) -> str:
    if offer.product:
        return f"{offer.quantity} × {offer.name} on {offer.service_date}"
    return ", ".join(offer.table_numbers)


def _closed(event: OpenEvent) -> Iterator[Step]:
    if event.closed_at:
        yield _step(event, event.closed_at, "openings", "gone: it is no longer to be had")
