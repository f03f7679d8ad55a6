"""When a party dines and when its tables are blocked. Pure: time zones in, instants out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import takewhile
from zoneinfo import ZoneInfo

from dibs.capacity.model import Policy, ServicePeriod, Sitting, Window
from dibs.errors import Invalid

# How long a party of at most so many guests keeps its table, and how long a larger one does.
TURN_MINUTES = {2: 60, 4: 75, 6: 85}
LARGE_PARTY_MINUTES = 90
STEP = timedelta(minutes=15)


def turn_minutes(policy: Policy, party_size: int) -> int:
    """The policy's bands lie over the usual ones; a larger party never gets less than its largest band."""
    given = policy.turn_minutes
    largest = max(given, default=0)
    floor = given[largest] if given else 0
    bands = {
        **{size: max(minutes, floor if size > largest else 0) for size, minutes in TURN_MINUTES.items()},
        **given,
    }
    for size in sorted(bands):
        if party_size <= size:
            return bands[size]
    return max(LARGE_PARTY_MINUTES, floor)


def local_start(day: date, at: time, timezone: str) -> datetime:
    """The instant of a wall-clock time. An hour that comes twice means the first; one that never comes is refused."""
    zone = ZoneInfo(timezone)
    wall = datetime.combine(day, at.replace(tzinfo=None), tzinfo=zone)
    instant = wall.astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) != wall.replace(tzinfo=None):
        raise Invalid(
            f"{at:%H:%M} does not exist on {day} in {timezone}: the clocks go forward; choose another time.",
            code="invalid_start",
        )
    return instant


def service_date(start_at: datetime, timezone: str) -> date:
    return start_at.astimezone(ZoneInfo(timezone)).date()


def inside(period: ServicePeriod, at: time) -> bool:
    if period.start < period.end:
        return period.start <= at < period.end
    return at >= period.start or at < period.end


def period_of(periods: Sequence[ServicePeriod], start_at: datetime, timezone: str) -> ServicePeriod | None:
    """The period a party starts in; where two overlap, the one that goes on longer."""
    local = start_at.astimezone(ZoneInfo(timezone)).time()
    fitting = [period for period in periods if inside(period, local)]
    return max(fitting, key=lambda period: minutes_left(period, local), default=None)


def minutes_left(period: ServicePeriod, at: time) -> int:
    minutes = (period.end.hour - at.hour) * 60 + period.end.minute - at.minute
    return minutes if minutes > 0 else minutes + 24 * 60


def sitting(policy: Policy, timezone: str, party_size: int, start_at: datetime, day: date | None = None) -> Sitting:
    """Turn times and buffers are elapsed time, so a night with 25 hours is no exception."""
    start = start_at.astimezone(UTC)
    end = start + timedelta(minutes=turn_minutes(policy, party_size))
    blocked = Window(
        start - timedelta(minutes=policy.buffer_before_min), end + timedelta(minutes=policy.buffer_after_min)
    )
    return Sitting(Window(start, end), blocked, day or service_date(start, timezone))


def require_service(periods: Sequence[ServicePeriod], start_at: datetime, timezone: str) -> ServicePeriod:
    period = period_of(periods, start_at, timezone)
    if period is None:
        local = start_at.astimezone(ZoneInfo(timezone))
        hours = ", ".join(f"{p.name} {p.start:%H:%M}–{p.end:%H:%M}" for p in periods) or "none"
        raise Invalid(
            f"{local:%Y-%m-%d %H:%M} ({timezone}) is outside of service; choose a start inside: {hours}.",
            code="no_service",
        )
    return period


# Every quote asks twice, and many quotes ask for the same start.
@lru_cache(maxsize=4096)
def later_starts(period: ServicePeriod, start_at: datetime, timezone: str) -> tuple[datetime, ...]:
    """Quarter hours after the wanted start, until the period it lies in is over."""
    zone = ZoneInfo(timezone)
    # In UTC whatever the offset was: equal instants share one remembered answer.
    start = start_at.astimezone(UTC)
    steps = minutes_left(period, start.astimezone(zone).time()) // 15 + 8  # 8: an hour may come twice
    later = (start + step * STEP for step in range(1, steps))
    return tuple(takewhile(lambda one: inside(period, one.astimezone(zone).time()), later))
