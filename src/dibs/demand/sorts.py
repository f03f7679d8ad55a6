"""Which searches a run makes, how far back they look, and when they widen. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from dibs.demand.cooldown import long_refresh
from dibs.demand.model import Attempt, Sort, SortHistory, SortRun, SortStep, TimeFilter

# A community this busy fills a month with enough posts.
BUSY_SAFE_INTERVAL_DAYS = 10
TOO_FEW_POSTS = 20


def plan_sorts(history: SortHistory, safe_interval_days: float, now: datetime) -> list[SortStep]:
    """`new` every time; `relevance` and `top` at first and then on the long refresh."""
    slow = (_slow_step(sort, history.get(sort), safe_interval_days, now) for sort in (Sort.RELEVANCE, Sort.TOP))
    return [SortStep(Sort.NEW), *(step for step in slow if step)]


def _slow_step(sort: Sort, last: SortRun | None, safe_interval_days: float, now: datetime) -> SortStep | None:
    if last is None:
        return SortStep(sort, TimeFilter.YEAR)
    if now - last.last_run_at < long_refresh(safe_interval_days):
        return None
    busy = safe_interval_days <= BUSY_SAFE_INTERVAL_DAYS
    return SortStep(sort, TimeFilter.MONTH if busy else TimeFilter.YEAR)


def widen(step: SortStep, posts: int) -> SortStep | None:
    """The wider search to make in the same run when a month gave too little."""
    if step.time_filter is TimeFilter.MONTH and posts < TOO_FEW_POSTS:
        return SortStep(step.sort, TimeFilter.YEAR)
    return None


def history_after(history: SortHistory, attempted: Iterable[Attempt]) -> dict[Sort, SortRun]:
    """The history with what this run asked; a sort that failed was not asked and stays due."""
    after = dict(history)
    for attempt in sorted(attempted, key=lambda attempt: attempt.at):
        last = after.get(attempt.sort)
        if last is None or attempt.at >= last.last_run_at:
            after[attempt.sort] = SortRun(attempt.at, attempt.time_filter)
    return after
