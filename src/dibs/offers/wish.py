"""What somebody asks for when they take a place, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody asks for, as it came in.

    A table: `restaurant`, `party_size`, and a range of instants or local times on a date. A quantity of a product:
    `product`, `quantity`, and the first and the last date that would do.
    """

    channel: str
    address: str
    restaurant: str | None = None
    party_size: int | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    date: date | None = None
    time_from: time | None = None
    time_to: time | None = None
    product: str | None = None
    quantity: int | None = None
    earliest_date: date | None = None
    latest_date: date | None = None
    locale: str | None = None
    guest: dict[str, Any] | None = None


TABLE_ONLY = ("party_size", "earliest", "latest", "date", "time_from", "time_to")
POOL_ONLY = ("quantity", "earliest_date", "latest_date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A wish that makes sense: which line, how many, and the range; `until` is when it is too late."""

    line_key: str
    earliest: datetime
    latest: datetime
    until: datetime
    restaurant_id: UUID | None = None
    service_date: date | None = None
    party_size: int | None = None
    product_no: int | None = None
    product_key: str | None = None
    quantity: int | None = None
    earliest_date: date | None = None
    latest_date: date | None = None
