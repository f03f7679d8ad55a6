"""How much is written in a community, and so how often looking again is worth it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

# A search listing ends at about 1,000 posts; refreshing when 750 new ones are there loses none.
POSTS_PER_REFRESH = 750
SHORTEST_DAYS = 7.0
LONGEST_DAYS = 60.0
UNSAMPLED_DAYS = 1.0
SAMPLE_POSTS = 1000
SAMPLE_WINDOW = timedelta(days=30)
RESAMPLE_AFTER = timedelta(days=30)


def safe_interval_days(posts_per_day: float | None) -> float:
    """How long a community may rest before posts are missed; one day until it was sampled."""
    if posts_per_day is None:
        return UNSAMPLED_DAYS
    if posts_per_day <= 0:
        return LONGEST_DAYS
    return min(LONGEST_DAYS, max(SHORTEST_DAYS, POSTS_PER_REFRESH / posts_per_day))


def posts_per_day(posted_at: Sequence[datetime], now: datetime) -> float:
    """The rate over the newest posts, at most 1,000 of at most 30 days.

    A full sample covers the time from its oldest post to now; one that ran out of posts covers the window.
    """
    newest = sorted((at for at in posted_at if now - SAMPLE_WINDOW <= at <= now), reverse=True)[:SAMPLE_POSTS]
    covered = now - newest[-1] if len(newest) == SAMPLE_POSTS else SAMPLE_WINDOW
    return len(newest) / max(covered / timedelta(days=1), 1 / 24)
