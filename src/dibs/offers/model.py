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
    # How long a worker may be busy with a line before another takes it for dead.
    lease_s: float = 60.0
    # A line in which somebody waits is looked at so often even if nobody asks for it.
    look_again_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A place that can be offered something, as the rules see it; the dates are a pool's."""

    place_id: int
    size: int
    earliest: datetime
    latest: datetime
    refused: Sequence[datetime] = ()
    passed: int = 0
    first_since: datetime | None = None
    earliest_date: date | None = None
    latest_date: date | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A line that is to be looked at: a restaurant's day, or a product."""

    line_key: str
    changes: int
    restaurant: str | None
    service_date: date | None
    product_no: int | None


class Place(Struct, frozen=True, kw_only=True):
    """A place in line as the API shows it: of a restaurant's day, or of a product."""

    place_id: int
    line_key: str
    restaurant: str | None
    product: str | None
    name: str
    party_size: int | None
    quantity: int | None
    earliest: datetime
    latest: datetime
    service_date: date | None
    earliest_date: date | None
    latest_date: date | None
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
    offer_date: date | None
    offer_expires_at: datetime | None
    booking_id: UUID | None

    @property
    def size(self) -> int:
        """How many it waits for: guests, or pieces."""
        return self.party_size or self.quantity or 0


class Offer(Struct, frozen=True, kw_only=True):
    """An offer with whom and what it is for.

    Tables of a restaurant are kept by a hold, a quantity of a product by the allocation named by `reference`.
    """

    offer_id: UUID
    place_id: int
    line_key: str
    restaurant_id: UUID | None
    restaurant: str | None
    product_no: int | None
    product: str | None
    name: str
    timezone: str
    hold_id: UUID | None
    slot_id: str
    table_numbers: list[str]
    party_size: int | None
    quantity: int | None
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

    @property
    def reference(self) -> str:
        """What a product's allocation is named by."""
        return str(self.offer_id)

    @property
    def of(self) -> str:
        """Whose room it is: the restaurant's slug, or the product's key."""
        return self.product or self.restaurant or ""
