"""The statements about where an entity stands with Google Places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from dibs.db import Connection, execute, fetch_all, fetch_value, statements
from dibs.places.geo import Point

sql = statements(__name__)


@dataclass(frozen=True, slots=True)
class LookUp:
    """A restaurant to look up, and around where."""

    entity_id: int
    name: str
    status: str
    location_key: str
    google_place_id: str | None
    center_lat: float
    center_lng: float
    bias_lat: float | None
    bias_lng: float | None
    bias_radius_m: float | None
    attempts: int


async def want_enrichment(
    connection: Connection,
    *,
    entity_ids: Sequence[int],
    bias: Point | None,
    bias_radius_m: float | None,
    now: datetime,
) -> int:
    """How many are looked up because of this."""
    values = {
        "entity_ids": list(entity_ids),
        "bias_lat": bias.lat if bias else None,
        "bias_lng": bias.lng if bias else None,
        "bias_radius_m": bias_radius_m if bias else None,
        "now": now,
    }
    return await fetch_value(connection, sql("want_enrichment"), values) or 0


async def start_enrichment(connection: Connection, *, token: UUID, entity_ids: Sequence[int]) -> list[LookUp]:
    values = {"token": token, "entity_ids": list(entity_ids)}
    return await fetch_all(connection, sql("start_enrichment"), values, LookUp)


async def record_enrichment(
    connection: Connection,
    *,
    entity_id: int,
    status: str,
    reason: str,
    match_score: float | None = None,
    address: str | None = None,
    place_types: Sequence[str] = (),
    place_read_at: datetime | None = None,
) -> int:
    values = {
        "entity_id": entity_id,
        "status": status,
        "reason": reason,
        "match_score": match_score,
        "address": address,
        "place_types": list(place_types),
        "place_read_at": place_read_at,
    }
    return await execute(connection, sql("record_enrichment"), values)


async def record_enrichment_error(connection: Connection, *, entity_id: int, error: str) -> int:
    return await execute(connection, sql("record_enrichment_error"), {"entity_id": entity_id, "error": error})


async def forget_places(connection: Connection, *, before: datetime, now: datetime) -> list[int]:
    rows = await fetch_all(connection, sql("forget_places"), {"before": before, "now": now})
    return [row["entity_id"] for row in rows]


async def drop_place(connection: Connection, *, entity_id: int, google_place_id: str, now: datetime) -> int:
    values = {"entity_id": entity_id, "google_place_id": google_place_id, "now": now}
    return await execute(connection, sql("drop_place"), values)
