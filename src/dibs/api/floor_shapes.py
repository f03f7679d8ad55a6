"""The body and the answer of a floor."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from dibs.capacity.model import Floor, Table, TableState


class PeriodAnswer(Struct):
    name: str
    start: str
    end: str


class PolicyAnswer(Struct):
    turn_minutes: dict[str, int]
    buffer_before_min: int
    buffer_after_min: int
    hold_ttl_s: int | None
    max_tables: int


class TableAnswer(Struct):
    table_id: UUID
    number: str
    capacity: int
    min_party: int
    max_party: int | None
    mobility: str
    active: bool
    x: float | None
    y: float | None
    state: TableState | UnsetType = UNSET


class ZoneAnswer(Struct):
    zone_id: UUID
    name: str
    tables: list[TableAnswer]


class FloorAnswer(Struct):
    restaurant_id: UUID
    slug: str
    name: str
    timezone: str
    policy: PolicyAnswer
    service_periods: list[PeriodAnswer]
    zones: list[ZoneAnswer]
    adjacencies: list[tuple[str, str]]
    floor_version: int
    at: datetime | UnsetType = UNSET
    displaced: list[UUID] | UnsetType = UNSET

    @classmethod
    def of(cls, floor: Floor, states: dict[UUID, TableState] | None = None) -> FloorAnswer:
        policy = floor.policy
        number = {table.table_id: table.number for table in floor.tables}
        turns = {str(size): minutes for size, minutes in sorted(policy.turn_minutes.items())}
        return cls(
            restaurant_id=floor.restaurant_id,
            slug=floor.slug,
            name=floor.name,
            timezone=floor.timezone,
            policy=PolicyAnswer(
                turns, policy.buffer_before_min, policy.buffer_after_min, policy.hold_ttl_s, policy.max_tables
            ),
            service_periods=[
                PeriodAnswer(one.name, f"{one.start:%H:%M}", f"{one.end:%H:%M}") for one in floor.service_periods
            ],
            zones=[
                ZoneAnswer(
                    zone.zone_id,
                    zone.name,
                    [_table(table, states) for table in floor.tables if table.zone_id == zone.zone_id],
                )
                for zone in floor.zones
            ],
            adjacencies=[(number[one], number[other]) for one, other in floor.adjacencies],
            floor_version=floor.version,
        )


def _table(table: Table, states: dict[UUID, TableState] | None) -> TableAnswer:
    return TableAnswer(
        table_id=table.table_id,
        number=table.number,
        capacity=table.capacity,
        min_party=table.min_party,
        max_party=table.max_party,
        mobility="movable" if table.movable else "fixed",
        active=table.active,
        x=table.x,
        y=table.y,
        state=UNSET if states is None else states.get(table.table_id, "free"),
    )


# What OpenAPI says about the body of PUT …/floor; the document is read by hand, to report all its problems at once.
FLOOR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name", "timezone", "zones"],
    "properties": {
        "name": {"type": "string"},
        "timezone": {"type": "string", "examples": ["Europe/London"]},
        "policy": {
            "type": "object",
            "properties": {
                "turn_minutes": {"type": "object", "additionalProperties": {"type": "integer"}},
                "buffer_before_min": {"type": "integer", "minimum": 0, "maximum": 120},
                "buffer_after_min": {"type": "integer", "minimum": 0, "maximum": 120},
                "hold_ttl_s": {"type": "integer", "minimum": 30, "maximum": 600},
                "max_tables": {"type": "integer", "minimum": 1, "maximum": 5},
            },
        },
        "service_periods": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "start", "end"],
                "properties": {
                    "name": {"type": "string"},
                    "start": {"type": "string", "examples": ["17:00"]},
                    "end": {"type": "string", "examples": ["22:00"]},
                },
            },
        },
        "zones": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "tables"],
                "properties": {
                    "name": {"type": "string"},
                    "tables": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["number", "capacity", "mobility"],
                            "properties": {
                                "number": {"type": "string"},
                                "capacity": {"type": "integer", "minimum": 1},
                                "min_party": {"type": "integer", "minimum": 1},
                                "max_party": {"type": "integer", "minimum": 1},
                                "mobility": {"enum": ["movable", "fixed"]},
                                "active": {"type": "boolean"},
                                "x": {"type": "number"},
                                "y": {"type": "number"},
                            },
                        },
                    },
                },
            },
        },
        "adjacencies": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        },
    },
}
