"""The nouns of the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

PlaceStatus = Literal["waiting", "offered", "served", "left", "expired"]
OfferStatus = Literal["live", "claimed", "declined", "lapsed", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers of the line."""

    hold_ttl_s: int = 600
    max_lapses: int = 2
    max_passed: int = 3
    first_for_s: float = 1800.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A place that can be offered something, as the rules see it."""

    place_id: int
    party_size: int
    earliest: datetime
    latest: datetime
    refused: Sequence[datetime] = ()
    passed: int = 0
    first_since: datetime | None = None


class Place(Struct, frozen=True, kw_only=True):
    """A place in line as the API shows it."""

    place_id: int
    restaurant: str
    party_size: int
    earliest: datetime
    latest: datetime
    service_date: date
    status: PlaceStatus
    reason: str | None
    position: int | None
    ahead: int | None
    lapses: int
    passed: int
    comes_first: bool
    joined_at: datetime
    ended_at: datetime | None
    subscription_id: int | None
    offer_id: UUID | None
    offer_start_at: datetime | None
    offer_expires_at: datetime | None
    booking_id: UUID | None


class Offer(Struct, frozen=True, kw_only=True):
    """An offer with whom and what it is for."""

    offer_id: UUID
    place_id: int
    restaurant_id: UUID
    restaurant: str
    restaurant_name: str
    timezone: str
    hold_id: UUID
    slot_id: str
    table_numbers: list[str]
    party_size: int
    start_at: datetime
    end_at: datetime
    service_date: date
    status: OfferStatus
    offered_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    booking_id: UUID | None
    open_event_id: int | None
    topic: str
    place_status: PlaceStatus
    lapses: int
    guest: dict[str, Any] | None
