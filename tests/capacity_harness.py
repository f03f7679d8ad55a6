"""A small restaurant, and short words for what is done in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from dibs.capacity import Occasion, book, put_floor
from dibs.capacity.model import Booking
from dibs.db import Connection, Database, fetch_all
from dibs.parts import Parts

DINNER_AT = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
SLUG = "blue-door"


def table(number: str, capacity: int = 2, **more: Any) -> dict[str, Any]:
    return {"number": number, "capacity": capacity, "mobility": "movable", **more}


def floor_document(**changes: Any) -> dict[str, Any]:
    """Two zones: A1–A2–A3 in a row and A4 apart, and a fixed six in the garden."""
    return {
        "name": "Blue Door",
        "timezone": "UTC",
        "service_periods": [{"name": "dinner", "start": "17:00", "end": "22:00"}],
        "zones": [
            {"name": "hall", "tables": [table("A1"), table("A2"), table("A3"), table("A4", 4)]},
            {"name": "garden", "tables": [table("G1", 6, mobility="fixed"), table("G2", 2, active=False)]},
        ],
        "adjacencies": [["A1", "A2"], ["A3", "A2"]],
        **changes,
    }


class House:
    """A restaurant that was put on `parts`, its tables by number."""

    def __init__(self, parts: Parts, tables: dict[str, UUID], zones: dict[str, UUID], slug: str) -> None:
        self.parts = parts
        self.tables = tables
        self.zones = zones
        self.slug = slug

    def __getitem__(self, number: str) -> UUID:
        return self.tables[number]

    def ids(self, *numbers: str) -> list[UUID]:
        return [self.tables[number] for number in numbers]

    def asks(self, party_size: int = 2, start_at: datetime = DINNER_AT) -> Occasion:
        return Occasion(restaurant=self.slug, party_size=party_size, start_at=start_at)

    async def booking(self, party_size: int = 2, start_at: datetime = DINNER_AT, **guest: Any) -> Booking:
        return await book(self.parts.capacity, self.asks(party_size, start_at), guest or None)


async def open_house(parts: Parts, document: dict[str, Any] | None = None, slug: str = SLUG) -> House:
    put = await put_floor(parts.capacity, slug, document or floor_document())
    tables = {one.number: one.table_id for one in put.floor.tables}
    zones = {one.name: one.zone_id for one in put.floor.zones}
    return House(parts, tables, zones, slug)


def rows_of_tables(count: int, capacity: int = 2) -> dict[str, Any]:
    """One zone with tables in a row."""
    tables = [table(f"T{at:03}", capacity) for at in range(count)]
    pairs = [[f"T{at:03}", f"T{at + 1:03}"] for at in range(count - 1)]
    return floor_document(zones=[{"name": "hall", "tables": tables}], adjacencies=pairs)


async def overlaps(connection: Connection) -> list[dict[str, Any]]:
    """Pairs of claims of one table that overlap, found without the constraint and without its index."""
    return await fetch_all(
        connection,
        b"""
        SELECT one.allocation_id AS one, other.allocation_id AS other
        FROM allocations AS one
        JOIN allocations AS other
          ON other.table_id::text = one.table_id::text
         AND other.allocation_id > one.allocation_id
         AND lower(other.blocked) < upper(one.blocked)
         AND lower(one.blocked) < upper(other.blocked)
        """,
    )


async def claims(db: Database) -> list[dict[str, Any]]:
    async with db.connection() as connection:
        return await fetch_all(
            connection,
            b"""
            SELECT place.number, claim.resource_type, claim.booking_id, claim.hold_id, claim.merge_group_id,
                   lower(claim.blocked) AS start_at, upper(claim.blocked) AS end_at
            FROM allocations AS claim JOIN table_inventory AS place USING (table_id)
            ORDER BY place.number, lower(claim.blocked)
            """,
        )


def later(minutes: float, start_at: datetime = DINNER_AT) -> datetime:
    return start_at + timedelta(minutes=minutes)
