"""The bodies and answers of capacity: what the contract names, and how the domain's nouns become it."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812 -- fields of these shapes are called date and time
from datetime import datetime
from datetime import time as Time  # noqa: N812 -- as above
from typing import Annotated, Any
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from dibs.capacity import Filters, Occasion, Quote
from dibs.capacity.model import (
    AdjacencyStatus,
    AssignedTable,
    Booking,
    BookingStatus,
    Candidate,
    Reason,
    Window,
)
from dibs.errors import NotFound


def _written(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("a local time is written as HH:MM")  # noqa: TRY004 -- pydantic makes 422 of this kind only
    return value


def _local(value: Time) -> Time:
    if value.tzinfo is not None:
        raise ValueError("a local time has no offset; give start_at instead")
    return value


LocalTime = Annotated[Time, BeforeValidator(_written), AfterValidator(_local)]


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
    party_size: int = Field(ge=1, le=1000, strict=True)
    start_at: AwareDatetime | None = None
    date: Date | None = Field(None, description="Local, with `time`, in place of `start_at`.")
    time: LocalTime | None = None
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
    party_size: int | None = Field(None, strict=True)
    start_at: AwareDatetime | None = None
    date: Date | None = Field(None, description="Local, with `time`, in place of `start_at`.")
    time: LocalTime | None = None
    zone_id: str | None = Field(None, max_length=100)
    max_tables: int | None = Field(None, ge=1, le=5, strict=True)
    require_adjacency: bool = Field(default=False, strict=True)
    avoid_tables: list[UUID] = Field([], max_length=500)
    hold_ttl_seconds: int | None = Field(None, ge=30, le=600, strict=True)

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
    require_adjacency: bool = Field(default=False, strict=True)


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
