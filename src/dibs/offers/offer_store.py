"""The statements about offers and about the lines that are to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from dibs.db import Connection, execute, fetch_all, fetch_maybe, fetch_value, statements
from dibs.offers.model import Check, Offer

sql = statements(__name__)


async def insert_offer(connection: Connection, values: dict[str, Any]) -> bool:
    """False when the place is no longer waiting, or has an offer."""
    return await execute(connection, sql("insert_offer"), values) > 0


async def link_event(connection: Connection, *, offer_id: UUID, open_event_id: int) -> None:
    await execute(connection, sql("link_event"), {"offer_id": offer_id, "open_event_id": open_event_id})


async def get_offer(connection: Connection, *, offer_id: UUID) -> Offer | None:
    return await fetch_maybe(connection, sql("get_offer"), {"offer_id": offer_id}, Offer)


async def end_offer(
    connection: Connection, *, offer_id: UUID, status: str, booking_id: UUID | None, now: datetime
) -> bool:
    values = {"offer_id": offer_id, "status": status, "booking_id": booking_id, "now": now}
    return await execute(connection, sql("end_offer"), values) > 0


async def find_live_offer(connection: Connection, *, place_id: int) -> Offer | None:
    return await fetch_maybe(connection, sql("find_live_offer"), {"place_id": place_id}, Offer)


async def offers_of_event(connection: Connection, *, open_event_id: int) -> list[Offer]:
    return await fetch_all(connection, sql("offers_of_event"), {"open_event_id": open_event_id}, Offer)


async def load_checks(connection: Connection, *, check_keys: Sequence[str]) -> list[Check]:
    return await fetch_all(connection, sql("load_checks"), {"check_keys": list(check_keys)}, Check)


async def count_changes(connection: Connection, *, line_key: str) -> int:
    """How often the line was asked for until now; -1 for a line that nobody asks for any more."""
    changes = await fetch_value(connection, sql("count_changes"), {"line_key": line_key})
    return -1 if changes is None else int(changes)


async def settle_check(
    connection: Connection, *, line_key: str, token: UUID, changes: int, again_at: datetime | None
) -> bool:
    values = {"line_key": line_key, "token": token, "changes": changes, "again_at": again_at}
    return await execute(connection, sql("settle_check"), values) > 0
