"""When a failed notice is tried again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

JITTER = 0.2
LONGEST_RETRY_AFTER_S = 86_400.0


@dataclass(frozen=True, slots=True)
class RetryPlan:
    """`delays_s[n]` is the wait before attempt n + 1; the last one serves all further attempts."""

    delays_s: Sequence[float] = (0.0, 2.0, 7.0)
    max_attempts: int = 3

    def next_at(self, attempts: int, now: datetime, *, retry_after: float | None, chance: float) -> datetime | None:
        """When to try again after `attempts` finished ones; None when there is no further attempt.

        `chance` in [0, 1) spreads the retries of a burst. It only ever adds, so that neither the schedule nor
        the Retry-After of the other side is undercut.
        """
        if attempts >= self.max_attempts:
            return None
        planned = self.delays_s[min(attempts, len(self.delays_s) - 1)] if self.delays_s else 0.0
        asked = min(max(retry_after or 0.0, 0.0), LONGEST_RETRY_AFTER_S)
        wait_s = max(planned, asked)
        return now + timedelta(seconds=wait_s * (1 + JITTER * chance))


def retry_after(header: str | None, now: datetime) -> float | None:
    """How many seconds a Retry-After header asks for, given as a number or as a date; None if it says nothing."""
    if not header:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return min(float(text), LONGEST_RETRY_AFTER_S)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max((at - now).total_seconds(), 0.0), LONGEST_RETRY_AFTER_S)
