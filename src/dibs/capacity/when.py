"""For whom and when: a booking that is there already, or a party that asks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from uuid import UUID

from dibs.capacity.context import Capacity, Ground
from dibs.capacity.model import Floor, ServicePeriod, Sitting
from dibs.capacity.windows import local_start, period_of, require_service, sitting
from dibs.errors import Conflict, Invalid

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
ACTIVE = ("pending", "confirmed", "seated")


@dataclass(frozen=True, slots=True)
class Occasion:
    """Either a booking, or a restaurant with a party and its start (an instant, or a local date and time)."""

    booking_id: UUID | None = None
    restaurant: str | None = None
    party_size: int | None = None
    start_at: datetime | None = None
    date: date | None = None
    time: time | None = None


@dataclass(frozen=True, slots=True)
class Party:
    """An occasion that was looked up: the floor, the guests, the windows."""

    ground: Ground
    party_size: int
    sitting: Sitting
    period: ServicePeriod | None
    booking_id: UUID | None = None


def start_of(floor: Floor, occasion: Occasion) -> tuple[datetime, date | None]:
    """The instant, and the booking date where the caller named one."""
    if occasion.start_at is not None:
        if occasion.date is not None or occasion.time is not None:
            raise Invalid("Send either start_at, or date and time, not both.")
        if occasion.start_at.tzinfo is None:
            raise Invalid("start_at needs an offset, like 2026-03-02T18:00:00Z; for local times send date and time.")
        start, day = occasion.start_at, None
    elif occasion.date is not None and occasion.time is not None:
        _bounded(datetime.combine(occasion.date, time(12), tzinfo=UTC))
        start, day = local_start(occasion.date, occasion.time, floor.timezone), occasion.date
    else:
        raise Invalid("A start is needed: start_at, or date and time in the restaurant's time zone.")
    _bounded(start)
    return start, day


def _bounded(start: datetime) -> None:
    if not EARLIEST < start < LATEST:
        raise Invalid("The start lies too far away; choose one between 2000 and 2200.", code="invalid_start")


async def party_of(capacity: Capacity, occasion: Occasion, *, fresh: bool = True) -> Party:
    """Looks the occasion up. A caller's mistake in it is named here, before anything is held."""
    if occasion.booking_id is not None:
        return await _party_of_booking(capacity, occasion.booking_id, fresh=fresh)
    if occasion.restaurant is None or occasion.party_size is None:
        raise Invalid("Send a booking_id, or restaurant, party_size and start_at.")
    ground = await capacity.ground(occasion.restaurant, fresh=fresh)
    floor = ground.floor
    start, day = start_of(floor, occasion)
    period = require_service(floor.service_periods, start, floor.timezone)
    # The turn time of nobody is that of one: whoever asks for an empty table learns the reason from the selector.
    seated = sitting(floor.policy, floor.timezone, max(occasion.party_size, 1), start, day)
    return Party(ground, occasion.party_size, seated, period)


async def _party_of_booking(capacity: Capacity, booking_id: UUID, *, fresh: bool) -> Party:
    booking = await capacity.booking(booking_id)
    if booking.status not in ACTIVE:
        raise Conflict(f"The booking is {booking.status}; it needs no tables.", code="inactive_booking")
    ground = await capacity.ground(booking.restaurant, fresh=fresh)
    period = period_of(ground.floor.service_periods, booking.start_at, ground.floor.timezone)
    return Party(ground, booking.party_size, booking.sitting, period, booking.booking_id)
