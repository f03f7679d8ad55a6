"""The statements about holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from uuid import UUID

from dibs.capacity.model import Hold, HoldStatus, Placed, Sitting
from dibs.db import Connection, execute, fetch_all, fetch_maybe, fetch_one, fetch_value, statements

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class SweptHold:
    hold_id: UUID
    restaurant_id: UUID
    booking_id: UUID | None
    zone_id: UUID
    table_ids: list[UUID]
    held_by: str
    status: HoldStatus
    ended_at: datetime | None


async def place_hold(
    connection: Connection,
    *,
    sets: Sequence[Sequence[UUID]],
    party_size: int,
    sitting: Sitting,
    ttl_s: int,
    held_by: str,
    booking_id: UUID | None,
    require_adjacency: bool,
    max_per_token: int,
    max_per_booking: int,
    now: datetime | None,
) -> Placed:
    """Holds the first of the sets that is free."""
    values = {
        "table_ids": list(chain.from_iterable(sets)),
        "set_sizes": [len(one) for one in sets],
        "party_size": party_size,
        "start_at": sitting.dining.start_at,
        "end_at": sitting.dining.end_at,
        "blocked_start_at": sitting.blocked.start_at,
        "blocked_end_at": sitting.blocked.end_at,
        "service_date": sitting.service_date,
        "ttl_s": ttl_s,
        "held_by": held_by,
        "booking_id": booking_id,
        "require_adjacency": require_adjacency,
        "max_per_token": max_per_token,
        "max_per_booking": max_per_booking,
        "now": now,
    }
    return await fetch_one(connection, sql("place_hold"), values, Placed)


async def extend_hold(connection: Connection, *, hold_id: UUID, seconds: int, now: datetime | None) -> datetime:
    values = {"hold_id": hold_id, "seconds": seconds, "now": now}
    return await fetch_value(connection, sql("extend_hold"), values)


async def release_hold(connection: Connection, *, hold_id: UUID, now: datetime | None) -> bool:
    return await fetch_value(connection, sql("release_hold"), {"hold_id": hold_id, "now": now})


async def find_hold(connection: Connection, *, hold_id: UUID, now: datetime | None) -> Hold | None:
    return await fetch_maybe(connection, sql("find_hold"), {"hold_id": hold_id, "now": now}, Hold)


async def list_holds(
    connection: Connection,
    *,
    restaurant: str | None,
    booking_id: UUID | None,
    after: tuple[datetime, UUID] | None,
    limit: int,
    now: datetime | None,
) -> list[Hold]:
    """The live ones, those that expire first in front."""
    values = {
        "restaurant": restaurant,
        "booking_id": booking_id,
        "after_expiry": after and after[0],
        "after_id": after and after[1],
        "limit": limit,
        "now": now,
    }
    return await fetch_all(connection, sql("list_holds"), values, Hold)


async def expire_holds(connection: Connection, *, hold_ids: Sequence[UUID], now: datetime | None) -> int:
    return await fetch_value(connection, sql("expire_holds"), {"hold_ids": list(hold_ids), "now": now})


async def requeue_holds(connection: Connection, *, hold_ids: Sequence[UUID]) -> int:
    return await execute(connection, sql("requeue_holds"), {"hold_ids": list(hold_ids)})


async def list_swept(connection: Connection, *, hold_ids: Sequence[UUID]) -> list[SweptHold]:
    return await fetch_all(connection, sql("list_swept"), {"hold_ids": list(hold_ids)}, SweptHold)


async def prune_holds(connection: Connection, *, before: datetime, limit: int) -> int:
    return await execute(connection, sql("prune_holds"), {"before": before, "limit": limit})
