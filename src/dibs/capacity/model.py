"""The nouns of capacity. Nothing here reads a clock, a file or a database."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, Literal
from uuid import UUID

BookingStatus = Literal["pending", "confirmed", "seated", "completed", "cancelled", "no_show", "expired"]
HoldStatus = Literal["held", "confirmed", "released", "expired"]
AdjacencyStatus = Literal["single", "connected", "disconnected"]
TableState = Literal["free", "held", "booked"]
Reason = Literal[
    "no_tables_free",
    "insufficient_capacity",
    "insufficient_filtered_capacity",
    "invalid_party_size",
    "hold_conflicts",
    "not_adjacent",
]

MAX_TABLES = 5
HOLD_TTL_S = (30, 600)
MAX_PARTY = 1000


@dataclass(frozen=True, slots=True)
class ServicePeriod:
    """Local wall-clock hours in which a party may start. An end at or before its start is next morning's."""

    name: str
    start: time
    end: time


LUNCH = ServicePeriod("lunch", time(12), time(15))
DINNER = ServicePeriod("dinner", time(17), time(22))


@dataclass(frozen=True, slots=True)
class Policy:
    turn_minutes: dict[int, int] = field(default_factory=dict[int, int])
    buffer_before_min: int = 0
    buffer_after_min: int = 5
    hold_ttl_s: int | None = None
    max_tables: int = 3


@dataclass(frozen=True, slots=True)
class Table:
    table_id: UUID
    zone_id: UUID
    number: str
    capacity: int
    min_party: int = 1
    max_party: int | None = None
    movable: bool = True
    active: bool = True
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True, slots=True)
class Zone:
    zone_id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class Floor:
    """A restaurant with all that stands in it, as of `version`."""

    restaurant_id: UUID
    slug: str
    name: str
    timezone: str
    policy: Policy
    service_periods: tuple[ServicePeriod, ...]
    zones: tuple[Zone, ...]
    tables: tuple[Table, ...]
    adjacencies: tuple[tuple[UUID, UUID], ...]
    version: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """Half-open: what ends at eight is free at eight."""

    start_at: datetime
    end_at: datetime


@dataclass(frozen=True, slots=True)
class Sitting:
    """When a party dines, and for how long its tables are blocked by that."""

    dining: Window
    blocked: Window
    service_date: date


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a party needs, and the filters that narrow where it may sit."""

    party_size: int
    max_tables: int
    require_adjacency: bool = False
    zone_id: UUID | None = None
    avoid: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    zone_id: UUID
    table_ids: tuple[UUID, ...]
    table_numbers: tuple[str, ...]
    total_capacity: int
    overage: int
    scarcity: float
    adjacent_pairs: int
    adjacency_status: AdjacencyStatus
    score: float

    @property
    def table_count(self) -> int:
        return len(self.table_ids)


@dataclass(frozen=True, slots=True)
class Claim:
    """One table taken for one blocked window, by a booking or by a hold."""

    table_id: UUID
    start_at: datetime
    end_at: datetime


@dataclass(frozen=True, slots=True)
class Hold:
    hold_id: UUID
    restaurant_id: UUID
    zone_id: UUID
    booking_id: UUID | None
    table_ids: list[UUID]
    party_size: int
    start_at: datetime
    end_at: datetime
    service_date: date
    status: HoldStatus
    expires_at: datetime
    held_by: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Booking:
    """`start_at` and `end_at` are the dining window; the blocked one is wider by the buffers."""

    booking_id: UUID
    restaurant_id: UUID
    restaurant: str
    party_size: int
    start_at: datetime
    end_at: datetime
    blocked_start_at: datetime
    blocked_end_at: datetime
    service_date: date
    status: BookingStatus
    guest: dict[str, Any] | None
    created_at: datetime

    @property
    def sitting(self) -> Sitting:
        return Sitting(
            Window(self.start_at, self.end_at),
            Window(self.blocked_start_at, self.blocked_end_at),
            self.service_date,
        )


@dataclass(frozen=True, slots=True)
class AssignedTable:
    table_id: UUID
    number: str
    start_at: datetime
    end_at: datetime
    merge_group_id: UUID | None


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a confirm or an assign answered, the first time and every time after."""

    booking_id: UUID
    merge_group_id: UUID | None
    assignments: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A hold just placed, on the `set_no`-th of the sets that were asked for."""

    hold_id: UUID
    set_no: int
    zone_id: UUID
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class FloorClaim:
    """A claim as the plan and the timeline show it."""

    table_id: UUID
    start_at: datetime
    end_at: datetime
    resource_type: Literal["booking", "hold"]
    booking_id: UUID | None
    hold_id: UUID | None
    party_size: int
    booking_status: BookingStatus | None
    expires_at: datetime | None
