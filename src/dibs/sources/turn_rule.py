"""When the next request to a service may go out. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Manners:
    """What a service asks of its callers. A rate or quota of 0 is none."""

    per_minute: float = 0
    burst: int = 1
    gap_s: float = 0
    search_gap_s: float = 0
    daily_quota: int = 0
    # Whoever would have to wait longer is told so instead, and comes back another time.
    longest_wait_s: float = 60


@dataclass(frozen=True, slots=True)
class Standing:
    """What all processes together have asked so far."""

    next_at: datetime
    next_search_at: datetime
    full_at: datetime
    paused_until: datetime | None
    pause_reason: str
    quota_day: date | None
    quota_used: int
    now: datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn taken: wait so long, then ask; and what is remembered."""

    wait_s: float
    next_at: datetime
    next_search_at: datetime
    full_at: datetime
    quota_day: date
    quota_used: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """No turn now: why, and when to come back."""

    reason: str
    retry_after_s: float


def take_turn(standing: Standing, manners: Manners, *, search: bool) -> Turn | Refusal:
    now = standing.now
    today = now.date()
    used = standing.quota_used if standing.quota_day == today else 0
    if manners.daily_quota and used >= manners.daily_quota:
        tomorrow = datetime.combine(today + timedelta(days=1), datetime.min.time(), now.tzinfo)
        return Refusal("daily_quota", (tomorrow - now).total_seconds())
    at = _earliest(standing, manners, search=search)
    wait_s = (at - now).total_seconds()
    if wait_s > manners.longest_wait_s:
        paused = standing.paused_until is not None and standing.paused_until >= at
        return Refusal(standing.pause_reason if paused else "pace", wait_s)
    step = timedelta(minutes=1) / manners.per_minute if manners.per_minute else timedelta()
    return Turn(
        wait_s=wait_s,
        next_at=at + timedelta(seconds=manners.gap_s),
        next_search_at=at + timedelta(seconds=manners.search_gap_s) if search else standing.next_search_at,
        full_at=max(standing.full_at, at) + step,
        quota_day=today,
        quota_used=used + 1,
    )


def _earliest(standing: Standing, manners: Manners, *, search: bool) -> datetime:
    moments = [standing.now, standing.next_at]
    if search:
        moments.append(standing.next_search_at)
    if standing.paused_until is not None:
        moments.append(standing.paused_until)
    if manners.per_minute and standing.full_at > standing.now:
        # The bucket holds `burst` requests; a request may go out as soon as one of them is back.
        room = timedelta(minutes=1) / manners.per_minute * (manners.burst - 1)
        moments.append(standing.full_at - room)
    return max(moments)
