"""The nouns of own inventory."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

EstimationMode = Literal["exact", "tiered"]
State = Literal["clean", "dirty"]
Measure = Literal["tables", "covers"]
Reason = Literal["sold_out", "over_allocated", "no_capacity", "out_of_range", "no_floor"]


# The provider of everything that is not somebody else's.
PROVIDER = "signals"


class CadenceBucket(Struct, frozen=True, kw_only=True):
    """How often signals are looked at; the id names a schedule of the configuration."""

    id: str
    label: str = ""


class Tier(Struct, frozen=True, kw_only=True):
    """A band of availability, up to and including a share of the capacity."""

    id: str
    max_percentage: float
    label: str = ""


class Pattern(Struct, frozen=True, kw_only=True):
    """How availability is estimated: the count itself, or the tier it falls in."""

    estimation_mode: EstimationMode
    cadence: CadenceBucket
    tiers: list[Tier] = []


class Floor(Struct, frozen=True, kw_only=True):
    """The restaurant's floor a product stands on, and what of it is counted."""

    restaurant: str
    measure: Measure = "tables"


class ProductKey(Struct, frozen=True):
    """The four parts that name a product."""

    collection_id: str
    activity_type: str
    activity_id: str
    product_id: str

    def __str__(self) -> str:
        return f"{self.collection_id}::{self.activity_type}::{self.activity_id}::{self.product_id}"


class ProductPlan(Struct, frozen=True, kw_only=True):
    """What a product is to become."""

    name: str
    timezone: str
    capacity: int
    range_start: date
    range_end: date
    pattern: Pattern
    floor: Floor | None = None


class Product(Struct, frozen=True, kw_only=True):
    """A product as it is stored."""

    product_no: int
    collection_id: str
    activity_type: str
    activity_id: str
    product_id: str
    product_key: str
    name: str
    timezone: str
    capacity: int
    range_start: date
    range_end: date
    floor_restaurant: str | None
    floor_measure: Measure | None
    pattern: dict[str, Any]
    cadence_id: str
    created_at: datetime
    updated_at: datetime


class Seeded(Struct, frozen=True, kw_only=True):
    """What became of a product's dates."""

    seeded: int
    resized: int
    removed: int
    kept: int


class DateAnswer(Struct, frozen=True, kw_only=True):
    """One date of one product, as a reader gets it."""

    date: date
    value: int | str
    tier: str | None
    available: int
    capacity: int
    reason: Reason | None
    last_updated_at: datetime
    age_s: float
    state: State
    version: int


class ProductDates(Struct, frozen=True, kw_only=True):
    """The dates of one product among several."""

    product_key: str
    name: str
    dates: list[DateAnswer]


class Signal(Struct, frozen=True, kw_only=True, rename={"schema_": "schema"}):
    """A signal in the shape of its document."""

    pk: str
    sk: str
    gsipk: str
    gsisk: State
    schema_: str
    global_id: UUID
    value: int | str
    last_updated_at: datetime
    availability_estimation_pattern: dict[str, Any]
    expiry: datetime


class Allocation(Struct, frozen=True, kw_only=True):
    """A quantity of one date that a reference names."""

    reference: str
    date: date
    quantity: int
    state: Literal["allocated", "released"]
    allocated_at: datetime
    released_at: datetime | None


class Tick(Struct, frozen=True, kw_only=True):
    """What a tick did: every dirty signal it found was estimated or skipped."""

    cadence: str
    checked: int
    estimated: int
    changed: int
    skipped: int


class Edge(Struct, frozen=True, kw_only=True):
    """A signal whose cached value went from nothing to something or back."""

    product_key: str
    collection_id: str
    activity_type: str
    activity_id: str
    product_id: str
    name: str
    cadence_id: str
    date: date
    starts_at: datetime
    global_id: UUID
    before: int
    available: int
    capacity: int
    tier: str | None
    reason: str | None
    generation: int
    opened_at: datetime | None
    version: int


class Cadence(Struct, frozen=True, kw_only=True):
    """A schedule, its last tick, and what waits for the next one."""

    cadence_id: str
    interval_s: float
    due_at: datetime | None
    last_tick_at: datetime | None
    last_seconds: float | None
    last_checked: int | None
    last_estimated: int | None
    last_changed: int | None
    last_skipped: int | None
    products: int
    dirty: int


class Drift(Struct, frozen=True, kw_only=True):
    """A clean signal that differs from the truth; there must never be one."""

    product_no: int
    product_key: str
    date: date
    cached: int
    cached_tier: str | None
    truth: int
    truth_tier: str | None
