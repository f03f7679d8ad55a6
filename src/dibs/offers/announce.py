"""An offer as the hub sees it: an opening kept for one person, which closes when the offer ends."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from dibs.offers.model import Offer
from dibs.openings import NewEvent, SlotState, slot_id_of
from dibs.telemetry import new_trace_id

PROVIDER = "own:line"


def slot_id(of: str, offer_id: UUID) -> str:
    """`of` is the restaurant's slug, or the product's key."""
    return slot_id_of(PROVIDER, f"{of}|{offer_id}")


def title_of(offer: Offer) -> str:
    """What is kept, in a few words."""
    if offer.product:
        return (
            f"{offer.quantity} × {offer.name}, {offer.service_date:%A} {offer.service_date.day} {offer.service_date:%B}"
        )
    guests = "1 guest" if offer.party_size == 1 else f"{offer.party_size} guests"
    return f"A table for {guests} at {offer.name}"


def payload_of(offer: Offer) -> dict[str, Any]:
    """What the notice says; the claim link is made by whoever writes to the person, it is a secret."""
    shared = {
        "title": title_of(offer),
        "starts_at": offer.start_at.isoformat(),
        "timezone": offer.timezone,
        "offer_id": str(offer.offer_id),
        "kept_until": offer.expires_at.isoformat(),
    }
    if offer.product:
        day = offer.service_date.isoformat()
        return shared | {"product": offer.product, "date": day, "all_day": True, "quantity": offer.quantity}
    starts_local = f"{offer.start_at.astimezone(ZoneInfo(offer.timezone)):%Y-%m-%d %H:%M}"
    return shared | {"venue": offer.name, "starts_local": starts_local, "party_size": offer.party_size}


def opened(offer: Offer) -> tuple[SlotState, NewEvent]:
    slot = _slot(offer, offer.offered_at, closed_at=None)
    return slot, _event(offer, slot, offer.offered_at, after="Open", reason="room_opened")


def closed(offer: Offer, reason: str, now: datetime) -> tuple[SlotState, NewEvent]:
    slot = _slot(offer, now, closed_at=now)
    return slot, _event(offer, slot, now, after="Closed", reason=reason)


def _slot(offer: Offer, now: datetime, *, closed_at: datetime | None) -> SlotState:
    return SlotState(
        slot_id=offer.slot_id,
        provider=PROVIDER,
        slot_key=f"{offer.of}|{offer.offer_id}",
        watch_key=f"line:{offer.of}",
        group_key=offer.of,
        starts_at=offer.start_at,
        open=closed_at is None,
        opened_at=offer.offered_at,
        closed_at=closed_at,
        last_seen_at=now,
        misses=0,
        generation=1,
        payload=payload_of(offer),
    )


def _event(offer: Offer, slot: SlotState, now: datetime, *, after: str, reason: str) -> NewEvent:
    is_open = after == "Open"
    return NewEvent(
        provider=PROVIDER,
        watch_key=slot.watch_key,
        slot_id=slot.slot_id,
        slot_key=slot.slot_key,
        group_key=slot.group_key,
        subject=_subject(offer),
        status_before="Closed" if is_open else "Open",
        status_after="Open" if is_open else "Closed",
        seat_delta=1 if is_open else -1,
        event_at=now,
        detected_by="signal",
        dedupe_key=f"offer|{offer.offer_id}|{after}",
        trace_id=new_trace_id(),
        payload=slot.payload,
        topics=[offer.topic],
        generation=1,
        reason=reason,
        private=True,
    )


def _subject(offer: Offer) -> dict[str, Any]:
    if offer.product:
        return {"product": offer.product, "date": offer.service_date, "offer_id": str(offer.offer_id)}
    return {"restaurant": offer.restaurant, "offer_id": str(offer.offer_id)}
