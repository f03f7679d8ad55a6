"""How long a (term, type, place) rests after a run. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from dibs.demand.model import Outcome, Status

LONG_REST = timedelta(days=60)
FIRST_RETRY = timedelta(minutes=5)
LONGEST_RETRY = timedelta(hours=6)
DEFERRAL = timedelta(minutes=5)


def long_refresh(safe_interval_days: float) -> timedelta:
    """Three safe intervals, and never less than 60 days."""
    return max(LONG_REST, timedelta(days=3 * safe_interval_days))


def retry_after(errors_in_a_row: int) -> timedelta:
    """Five minutes, doubling up to six hours: an error is never mistaken for 'there is nothing'."""
    doublings = min(max(errors_in_a_row, 1) - 1, 10)
    return min(LONGEST_RETRY, FIRST_RETRY * 2**doublings)


def rest(outcome: Outcome, safe_interval_days: float, errors_in_a_row: int) -> timedelta:
    """How long to rest after a run that ended so; `errors_in_a_row` counts this one."""
    match outcome:
        case Outcome.SUCCESS:
            return timedelta(days=safe_interval_days)
        case Outcome.NO_RESULTS:
            return long_refresh(safe_interval_days)
        case Outcome.ERROR:
            return retry_after(errors_in_a_row)
        case Outcome.DEFERRED:
            return DEFERRAL


def cooldown_until(outcome: Outcome, safe_interval_days: float, errors_in_a_row: int, now: datetime) -> datetime:
    """When the place may be asked again, which is also when the request is due again."""
    return now + rest(outcome, safe_interval_days, errors_in_a_row)


def status_after(outcome: Outcome) -> Status:
    """An error or a deferral is not done: it waits for its next try."""
    return Status.COMPLETED if outcome in {Outcome.SUCCESS, Outcome.NO_RESULTS} else Status.PENDING
