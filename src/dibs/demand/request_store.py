"""The statements about requests: what was wanted, and how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dibs.db import Connection, Json, fetch_all, fetch_maybe, fetch_one, statements
from dibs.demand.model import Bias, CollectionRequest, Decision, Pressure, Wanted
from dibs.places.model import EntityType
from dibs.places.names import key_of

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class RequestStanding:
    """Whether a request runs, and how long its place rests."""

    request_id: int
    running: bool
    cooldown_until: datetime | None


def _bias(bias: Bias | None) -> dict[str, float | None]:
    return {
        "bias_lat": bias.lat if bias else None,
        "bias_lng": bias.lng if bias else None,
        "bias_radius_m": bias.radius_m if bias else None,
    }


async def sight(
    connection: Connection,
    *,
    wanted: Sequence[Wanted],
    place: str | None,
    refused: Decision | None,
    bias: Bias | None,
    now: datetime,
) -> list[RequestStanding]:
    """How each stands, in the order given; a term is there once per type."""
    rows = [
        {
            "term": one.term,
            "term_key": key_of(one.term),
            "entity_type": one.entity_type,
            "reason": one.reason,
            "location_key": place if one.entity_type == EntityType.RESTAURANT else None,
        }
        for one in wanted
    ]
    values = {"wanted": Json(rows), "place": place, "refused": refused, "now": now, **_bias(bias)}
    found = await fetch_all(connection, sql("sight"), values)
    by_name = {(row.pop("term_key"), row.pop("entity_type")): RequestStanding(**row) for row in found}
    return [by_name[row["term_key"], row["entity_type"]] for row in rows]


async def read_standing(connection: Connection, *, request_ids: Sequence[int], place: str) -> list[RequestStanding]:
    values = {"request_ids": list(request_ids), "place": place}
    return await fetch_all(connection, sql("read_standing"), values, RequestStanding)


async def read_pressure(connection: Connection) -> Pressure:
    return await fetch_one(connection, sql("read_pressure"), None, Pressure)


async def queue_requests(
    connection: Connection,
    *,
    request_ids: Sequence[int],
    place: str,
    bias: Bias | None,
    now: datetime,
    despite_cooldown: bool = False,
) -> set[int]:
    values = {
        "request_ids": list(request_ids),
        "place": place,
        "now": now,
        "despite_cooldown": despite_cooldown,
        **_bias(bias),
    }
    rows = await fetch_all(connection, sql("queue_requests"), values)
    return {row["request_id"] for row in rows}


async def defer_requests(
    connection: Connection, *, request_ids: Sequence[int], place: str, bias: Bias | None, until: datetime
) -> set[int]:
    values = {"request_ids": list(request_ids), "place": place, "until": until, **_bias(bias)}
    rows = await fetch_all(connection, sql("defer_requests"), values)
    return {row["request_id"] for row in rows}


async def list_requests(
    connection: Connection,
    *,
    limit: int,
    status: str | None = None,
    location_key: str | None = None,
    before: tuple[datetime, int] | None = None,
) -> list[CollectionRequest]:
    values = {
        "limit": limit,
        "status": status,
        "location_key": location_key,
        "before_at": before[0] if before else None,
        "before_id": before[1] if before else None,
    }
    return await fetch_all(connection, sql("list_requests"), values, CollectionRequest)


async def get_request(connection: Connection, *, request_id: int) -> CollectionRequest | None:
    return await fetch_maybe(connection, sql("get_request"), {"request_id": request_id}, CollectionRequest)
