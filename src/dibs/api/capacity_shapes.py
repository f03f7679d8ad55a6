"""The bodies and answers of capacity: what the contract names, and how the domain's nouns become it."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812 -- fields of these shapes are called date and time
from datetime import datetime
from datetime import time as Time  # noqa: N812 -- as above
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from dibs.capacity import Filters, Occasion, Quote
from dibs.capacity.model import (
    AdjacencyStatus,
    AssignedTable,
    Booking,
    BookingStatus,
    Candidate,
    Floor,
    Reason,
    Table,
    TableState,
    Window,
)
from dibs.errors import NotFound


def known_id(text: str, what: str) -> UUID:
    """An id that is none of ours cannot be found: that is all a caller needs to know."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(f"There is no such {what}.") from None


class NewBooking(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"restaurant": "blue-door", "party_size": 4, "date": "2026-03-02", "time": "19:30"}]
        },
    )

    restaurant: str = Field(max_length=100)
    party_size: int = Field(ge=1, le=1000)
    start_at: AwareDatetime | None = None
    date: Date | None = Field(None, description="Local, with `time`, in place of `start_at`.")
    time: Time | None = None
    guest: dict[str, Any] | None = None

    def occasion(self) -> Occasion:
        return Occasion(None, self.restaurant, self.party_size, self.start_at, self.date, self.time)


class QuoteBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"restaurant": "blue-door", "party_size": 4, "start_at": "2026-03-02T19:30:00Z"}]
        },
    )

    booking_id: str | None = Field(None, max_length=100, description="Or restaurant, party_size and start_at.")
    restaurant: str | None = Field(None, max_length=100)
    party_size: int | None = None
    start_at: AwareDatetime | None = None
    date: Date | None = Field(None, description="Local, with `time`, in place of `start_at`.")
    time: Time | None = None
    zone_id: str | None = Field(None, max_length=100)
    max_tables: int | None = Field(None, ge=1, le=5)
    require_adjacency: bool = False
    avoid_tables: list[UUID] = Field([], max_length=500)
    hold_ttl_seconds: int | None = Field(None, ge=30, le=600)

    def occasion(self) -> Occasion:
        booking_id = known_id(self.booking_id, "booking") if self.booking_id is not None else None
        return Occasion(booking_id, self.restaurant, self.party_size, self.start_at, self.date, self.time)

    def filters(self) -> Filters:
        return Filters(
            zone_id=known_id(self.zone_id, "zone") if self.zone_id is not None else None,
            max_tables=self.max_tables,
            require_adjacency=self.require_adjacency,
            avoid_tables=frozenset(self.avoid_tables),
        )


class ManualBody(QuoteBody):
    table_ids: list[str] = Field(min_length=1, max_length=20)


class ConfirmBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    hold_id: str = Field(max_length=100)
    booking_id: str | None = Field(None, max_length=100)
    guest: dict[str, Any] | None = None


class AssignBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    table_ids: list[str] = Field(min_length=1, max_length=20)
    require_adjacency: bool = False


class StatusBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    status: str = Field(description="seated, completed, no_show or cancelled")


class ExtendBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    seconds: int = Field(ge=30, le=600, description="From now.")


class CandidateAnswer(Struct):
    table_ids: list[UUID]
    table_numbers: list[str]
    total_capacity: int
    table_count: int
    overage: int
    adjacency_status: AdjacencyStatus
    score: float
    zone_id: UUID
    scarcity: float
    adjacent_pairs: int

    @classmethod
    def of(cls, candidate: Candidate) -> CandidateAnswer:
        return cls(
            table_ids=list(candidate.table_ids),
            table_numbers=list(candidate.table_numbers),
            total_capacity=candidate.total_capacity,
            table_count=candidate.table_count,
            overage=candidate.overage,
            adjacency_status=candidate.adjacency_status,
            score=candidate.score,
            zone_id=candidate.zone_id,
            scarcity=candidate.scarcity,
            adjacent_pairs=candidate.adjacent_pairs,
        )


class QuoteAnswer(Struct):
    hold_id: UUID | None
    expires_at: datetime | None
    window: Window
    zone_id: UUID | None
    candidate: CandidateAnswer | None
    alternates: list[CandidateAnswer]
    next_times: list[datetime]
    reason: Reason | None
    detail: str | None
    skipped: dict[str, int]

    @classmethod
    def of(cls, quote: Quote) -> QuoteAnswer:
        return cls(
            hold_id=quote.hold_id,
            expires_at=quote.expires_at,
            window=quote.window,
            zone_id=quote.zone_id,
            candidate=CandidateAnswer.of(quote.candidate) if quote.candidate else None,
            alternates=[CandidateAnswer.of(one) for one in quote.alternates],
            next_times=list(quote.next_times),
            reason=quote.reason,
            detail=quote.detail,
            skipped=quote.skipped,
        )


class BookingAnswer(Struct):
    booking_id: UUID
    restaurant: str
    status: BookingStatus
    party_size: int
    window: Window
    service_date: Date
    guest: dict[str, Any] | None
    created_at: datetime
    merge_group_id: UUID | UnsetType | None = UNSET
    assignments: list[AssignedTable] | UnsetType = UNSET

    @classmethod
    def of(cls, booking: Booking, tables: list[AssignedTable] | None = None) -> BookingAnswer:
        return cls(
            booking_id=booking.booking_id,
            restaurant=booking.restaurant,
            status=booking.status,
            party_size=booking.party_size,
            window=booking.sitting.dining,
            service_date=booking.service_date,
            guest=booking.guest,
            created_at=booking.created_at,
            merge_group_id=UNSET if tables is None else next((one.merge_group_id for one in tables), None),
            assignments=UNSET if tables is None else tables,
        )


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
