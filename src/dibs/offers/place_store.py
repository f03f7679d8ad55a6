"""The statements about places in line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from dibs.db import Connection, Json, execute, fetch_all, fetch_maybe, fetch_value, statements
from dibs.offers.model import Place, Waiting

sql = statements(__name__)


async def insert_place(connection: Connection, values: dict[str, Any]) -> int | None:
    """The new place's id; None when this address already waits in that line."""
    guest = values["guest"]
    return await fetch_value(connection, sql("insert_place"), {**values, "guest": Json(guest) if guest else None})


async def find_live_place(connection: Connection, *, line_key: str, channel: str, address_key: str) -> int | None:
    values = {"line_key": line_key, "channel": channel, "address_key": address_key}
    return await fetch_value(connection, sql("find_live_place"), values)


async def drop_half_made(
    connection: Connection, *, line_key: str, channel: str, address_key: str, before: datetime
) -> None:
    values = {"line_key": line_key, "channel": channel, "address_key": address_key, "before": before}
    await execute(connection, sql("drop_half_made"), values)


async def link_subscription(connection: Connection, *, place_id: int, subscription_id: int) -> None:
    await execute(connection, sql("link_subscription"), {"place_id": place_id, "subscription_id": subscription_id})


async def drop_place(connection: Connection, *, place_id: int) -> None:
    await execute(connection, sql("drop_place"), {"place_id": place_id})


async def ask_line(connection: Connection, *, restaurant_id: UUID, service_date: date) -> None:
    values = {"restaurant_id": restaurant_id, "service_date": service_date}
    await execute(connection, sql("ask_line"), values)


async def list_waiting(connection: Connection, *, line_key: str) -> list[Waiting]:
    return await fetch_all(connection, sql("list_waiting"), {"line_key": line_key}, Waiting)


async def close_line(connection: Connection, *, line_key: str, reason: str, now: datetime) -> int:
    """How many left."""
    values = {"line_key": line_key, "reason": reason, "now": now}
    return await execute(connection, sql("close_line"), values)


async def note_passed(connection: Connection, *, place_ids: Sequence[int], max_passed: int, now: datetime) -> int:
    values = {"place_ids": list(place_ids), "max_passed": max_passed, "now": now}
    return await execute(connection, sql("note_passed"), values)


async def forget_first(connection: Connection, *, place_ids: Sequence[int]) -> int:
    return await execute(connection, sql("forget_first"), {"place_ids": list(place_ids)})


async def set_place_status(
    connection: Connection,
    *,
    place_id: int,
    before: Sequence[str],
    status: str,
    reason: str | None,
    now: datetime,
) -> bool:
    values = {"place_id": place_id, "before": list(before), "status": status, "reason": reason, "now": now}
    return await execute(connection, sql("set_place_status"), values) > 0


async def refuse_start(connection: Connection, *, place_id: int, start_at: datetime, lapsed: bool) -> bool:
    values = {"place_id": place_id, "start_at": start_at, "lapsed": lapsed}
    return await execute(connection, sql("refuse_start"), values) > 0


async def list_places(
    connection: Connection,
    *,
    restaurant: str | None,
    product: str | None,
    day: date | None,
    live: bool,
    after: int | None,
    limit: int,
    settings: dict[str, Any],
) -> list[Place]:
    values = {
        "place_id": None,
        "restaurant": restaurant,
        "product": product,
        "day": day,
        "live": live,
        "after": after,
        "limit": limit,
        **settings,
    }
    return await fetch_all(connection, sql("list_places"), values, Place)


async def get_place(connection: Connection, *, place_id: int, settings: dict[str, Any]) -> Place | None:
    values = {
        "place_id": place_id,
        "restaurant": None,
        "product": None,
        "day": None,
        "live": False,
        "after": None,
        "limit": 1,
        **settings,
    }
    return await fetch_maybe(connection, sql("list_places"), values, Place)


async def rank_between(connection: Connection, *, place_id: int, position: int) -> float | None:
    return await fetch_value(connection, sql("rank_between"), {"place_id": place_id, "position": position})


async def set_rank(connection: Connection, *, place_id: int, rank: float) -> bool:
    return await execute(connection, sql("set_rank"), {"place_id": place_id, "rank": rank}) > 0


async def line_of_place(connection: Connection, *, place_id: int) -> str | None:
    return await fetch_value(connection, sql("line_of_place"), {"place_id": place_id})


async def prune_places(connection: Connection, *, before: datetime, limit: int) -> int:
    """How many went, with their offers."""
    return await execute(connection, sql("prune_places"), {"before": before, "limit": limit})


async def prune_checks(connection: Connection, *, limit: int) -> int:
    return await execute(connection, sql("prune_checks"), {"limit": limit})
