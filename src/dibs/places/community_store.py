"""The statements about communities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dibs.db import Connection, execute, fetch_all, fetch_maybe, fetch_one, fetch_value, statements
from dibs.places.geo import Point
from dibs.places.model import Community

sql = statements(__name__)


async def put_community(
    connection: Connection,
    *,
    location_key: str,
    center: Point,
    active: bool,
    posts_per_day: float | None,
    safe_interval_days: float,
    now: datetime,
) -> Community:
    values = {
        "location_key": location_key,
        "lat": center.lat,
        "lng": center.lng,
        "active": active,
        "posts_per_day": posts_per_day,
        "safe_interval_days": safe_interval_days,
        "now": now,
    }
    return await fetch_one(connection, sql("put_community"), values, Community)


async def get_community(connection: Connection, *, location_key: str) -> Community | None:
    return await fetch_maybe(connection, sql("get_community"), {"location_key": location_key}, Community)


async def list_communities(
    connection: Connection, *, limit: int, after: str | None = None, active: bool | None = None
) -> list[Community]:
    values = {"limit": limit, "after": after, "active": active}
    return await fetch_all(connection, sql("list_communities"), values, Community)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The community that a search is in, and which of its points (from 1) said so."""

    location_key: str
    rank: int


async def find_nearest_community(
    connection: Connection, *, points: Sequence[Point], within_km: float
) -> Nearest | None:
    values = {
        "lats": [point.lat for point in points],
        "lngs": [point.lng for point in points],
        "metres": within_km * 1000,
    }
    return await fetch_maybe(connection, sql("find_nearest_community"), values, Nearest)


async def record_sample(
    connection: Connection,
    *,
    location_key: str,
    posts_per_day: float,
    safe_interval_days: float,
    now: datetime,
) -> int:
    values = {
        "location_key": location_key,
        "posts_per_day": posts_per_day,
        "safe_interval_days": safe_interval_days,
        "now": now,
    }
    return await execute(connection, sql("record_sample"), values)


async def record_sample_error(connection: Connection, *, location_key: str, error: str, now: datetime) -> int | None:
    values = {"location_key": location_key, "error": error, "now": now}
    return await fetch_value(connection, sql("record_sample_error"), values)
