"""Writes an offer and tells the hub of it; in the caller's transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from dibs.db import Connection
from dibs.offers import announce, offer_store
from dibs.offers.model import Check, Offer
from dibs.openings import put_slots, record


async def insert(connection: Connection, values: dict[str, Any]) -> Offer | None:
    """The new offer; None when the place is no longer waiting, or has one."""
    if not await offer_store.insert_offer(connection, values):
        return None
    offer = await offer_store.get_offer(connection, offer_id=values["offer_id"])
    if offer is None:
        raise LookupError("an offer that was just made is not there")
    return offer


async def changed_since(connection: Connection, check: Check) -> bool:
    """Whether the line was asked for again since this look at it began; to be read after the room is kept."""
    return await offer_store.count_changes(connection, line_key=check.line_key) != check.changes


async def tell(connection: Connection, offer: Offer) -> None:
    """The offer becomes an opening, for one person."""
    slot, event = announce.opened(offer)
    await put_slots(connection, [slot])
    recorded = await record(connection, [event])
    await offer_store.link_event(connection, offer_id=offer.offer_id, open_event_id=recorded[0].open_event_id)


async def tell_over(connection: Connection, offer: Offer, reason: str, now: datetime) -> None:
    """The opening closes."""
    slot, event = announce.closed(offer, reason, now)
    await put_slots(connection, [slot])
    await record(connection, [event])
