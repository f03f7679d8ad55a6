"""A watch's status is derived from what happened to it; the first rule that applies wins."""

from dataclasses import dataclass
from typing import Literal

from dibs.watch.model import Outcome

WatchStatus = Literal["new", "healthy", "degraded", "suspect", "failing", "paused"]
FAILURES_TO_FAIL = 5


@dataclass(frozen=True, slots=True)
class Health:
    paused: bool
    polled: bool
    outcome: str | None
    reason: str
    configuration_fault: bool
    consecutive_failures: int
    suspect: bool
    provider_degraded: bool


def is_failing(*, configuration_fault: bool, consecutive_failures: int) -> bool:
    return configuration_fault or consecutive_failures >= FAILURES_TO_FAIL


def status_of(health: Health) -> tuple[WatchStatus, str]:  # noqa: PLR0911 -- one return per status
    """The status and, when there is something to say, why."""
    if health.paused:
        return "paused", "paused"
    if not health.polled:
        return "new", "not polled yet"
    failing = is_failing(
        configuration_fault=health.configuration_fault, consecutive_failures=health.consecutive_failures
    )
    if failing:
        return "failing", health.reason
    if health.suspect:
        return "suspect", health.reason
    partly = health.outcome == Outcome.BOOTSTRAPPED and health.reason
    if partly or health.outcome in (Outcome.FAILED, Outcome.PARTIAL):
        return "degraded", health.reason
    if health.provider_degraded:
        return "degraded", "provider_degraded"
    return "healthy", ""
