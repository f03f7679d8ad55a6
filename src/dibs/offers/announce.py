"""An offer as the hub sees it: an opening kept for one person, which closes when the offer ends."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from dibs.capacity.model import Floor
from dibs.offers.model import Offer
from dibs.openings import NewEvent, SlotState, slot_id_of
from dibs.telemetry import new_trace_id

PROVIDER = "own:line"


def slot_key_of(restaurant: str, offer_id: UUID) -> str:
    return f"{restaurant}|{offer_id}"


def slot_id(restaurant: str, offer_id: UUID) -> str:
    return slot_id_of(PROVIDER, slot_key_of(restaurant, offer_id))


def payload_of(
    floor: Floor, offer_id: UUID, party_size: int, start_at: datetime, expires_at: datetime
) -> dict[str, Any]:
    """What the notice says; the claim link is made by whoever writes to the person, it is a secret."""
    guests = "1 guest" if party_size == 1 else f"{party_size} guests"
    return {
        "title": f"A table for {guests} at {floor.name}",
        "venue": floor.name,
        "starts_at": start_at.isoformat(),
        "starts_local": f"{start_at.astimezone(ZoneInfo(floor.timezone)):%Y-%m-%d %H:%M}",
        "timezone": floor.timezone,
        "party_size": party_size,
        "offer_id": str(offer_id),
        "kept_until": expires_at.isoformat(),
    }


def opened(
    restaurant: str, offer_id: UUID, topic: str, payload: dict[str, Any], start_at: datetime, now: datetime
) -> tuple[SlotState, NewEvent]:
    key = slot_key_of(restaurant, offer_id)
    slot = SlotState(
        slot_id=slot_id(restaurant, offer_id),
        provider=PROVIDER,
        slot_key=key,
        watch_key=f"line:{restaurant}",
        group_key=restaurant,
        starts_at=start_at,
        open=True,
        opened_at=now,
        closed_at=None,
        last_seen_at=now,
        misses=0,
        generation=1,
        payload=payload,
    )
    return slot, _event(slot, topic, payload, offer_id, now, after="Open", reason="room_opened")


def closed(offer: Offer, payload: dict[str, Any], reason: str, now: datetime) -> tuple[SlotState, NewEvent]:
    slot = SlotState(
        slot_id=offer.slot_id,
        provider=PROVIDER,
        slot_key=slot_key_of(offer.restaurant, offer.offer_id),
        watch_key=f"line:{offer.restaurant}",
        group_key=offer.restaurant,
        starts_at=offer.start_at,
        open=False,
        opened_at=offer.offered_at,
        closed_at=now,
        last_seen_at=now,
        misses=0,
        generation=1,
        payload=payload,
    )
    return slot, _event(slot, offer.topic, payload, offer.offer_id, now, after="Closed", reason=reason)


def _event(
    slot: SlotState, topic: str, payload: dict[str, Any], offer_id: UUID, now: datetime, *, after: str, reason: str
) -> NewEvent:
    is_open = after == "Open"
    return NewEvent(
        provider=PROVIDER,
        watch_key=slot.watch_key,
        slot_id=slot.slot_id,
        slot_key=slot.slot_key,
        group_key=slot.group_key,
        subject={"restaurant": slot.group_key, "offer_id": str(offer_id)},
        status_before="Closed" if is_open else "Open",
        status_after="Open" if is_open else "Closed",
        seat_delta=1 if is_open else -1,
        event_at=now,
        detected_by="signal",
        dedupe_key=f"offer|{offer_id}|{after}",
        trace_id=new_trace_id(),
        payload=payload,
        topics=[topic],
        generation=1,
        reason=reason,
        private=True,
    )
