"""When to look again. Pure: the roll of the dice is an argument."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dibs.config import Cadence

PROBE_S = 30.0
PATIENCE_S = 60.0
"""A target that keeps failing for reasons of its own is asked once a minute: outages end unannounced."""
CONFIGURATION_MAX_S = 3600.0
"""Only a person can mend it, so asking more often than hourly is only noise at the provider."""
HOT_OPENINGS = 3
COLD_STREAK = 20
NEAR_DAYS = 1
FAR_DAYS = 10


@dataclass(frozen=True, slots=True)
class Activity:
    """How lively a watch is: a decaying count of openings, polls since the last change, its date."""

    heat: float = 0.0
    quiet_polls: int = 0
    target_date: date | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    failures: int = 0
    configuration: bool = False
    suspect: bool = False
    retry_after_s: float | None = None


CALM = Trouble()


def interval(cadence: Cadence, activity: Activity, today: date) -> float:
    """Seconds between two looks, before jitter."""
    if not cadence.adaptive:
        return cadence.interval_s
    wanted = cadence.interval_s * _warmth(activity) * _nearness(activity.target_date, today)
    return min(max(wanted, cadence.min_interval_s), cadence.max_interval_s)


def _warmth(activity: Activity) -> float:
    if activity.heat >= HOT_OPENINGS:
        return 0.25
    if activity.heat >= 1:
        return 0.5
    return 2.0 ** min(activity.quiet_polls // COLD_STREAK, 4)


def _nearness(target: date | None, today: date) -> float:
    if target is None:
        return 1.0
    days = (target - today).days
    if days <= NEAR_DAYS:
        return 0.5
    return 2.0 if days > FAR_DAYS else 1.0


def cooled(heat: float, opened: int) -> float:
    """The heat after a look: half of what was, plus what just opened."""
    left = heat / 2 + opened
    return left if left >= 0.01 else 0.0


def next_look(cadence: Cadence, activity: Activity, trouble: Trouble, now: datetime, roll: float) -> datetime:
    """The moment of the next look; `roll` in [0, 1) spreads it by the jitter."""
    base = _troubled(interval(cadence, activity, now.date()), cadence, trouble)
    spread = base * (1 + cadence.jitter * (2 * roll - 1))
    if cadence.adaptive and trouble == CALM:
        spread = min(max(spread, cadence.min_interval_s), cadence.max_interval_s)
    return now + timedelta(seconds=max(spread, trouble.retry_after_s or 0.0))


def _troubled(base: float, cadence: Cadence, trouble: Trouble) -> float:
    if trouble.configuration:
        slowest = max(CONFIGURATION_MAX_S, cadence.max_interval_s)
        return min(max(base, cadence.max_interval_s) * 2.0 ** min(max(trouble.failures - 1, 0), 8), slowest)
    if trouble.suspect:
        return min(PROBE_S, base)
    if trouble.failures > 1:
        return max(base, min(base * 2.0 ** min(trouble.failures - 1, 8), PATIENCE_S))
    return base
