"""The queue of communities whose activity is to be sampled; the sampling itself asks the outside world."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from dibs.db import Connection
from dibs.places import community_store as store
from dibs.places.activity import RESAMPLE_AFTER, posts_per_day, safe_interval_days
from dibs.work import Claim, Queue, claim, settle

SAMPLING = Queue(table="community", key="location_key", ready="active")
FIRST_RETRY = timedelta(minutes=5)
LONGEST_RETRY = timedelta(hours=6)


async def claim_communities(
    connection: Connection, *, limit: int, lease_s: float, worker: str, now: datetime | None
) -> Claim:
    """Takes communities whose sample is missing or a month old."""
    return await claim(connection, SAMPLING, limit=limit, lease_s=lease_s, worker=worker, now=now)


async def settle_sample(
    connection: Connection, token: UUID, location_key: str, posted_at: Sequence[datetime], now: datetime
) -> float | None:
    """Writes what the newest posts say, fenced by the lease; the new safe interval, or None if it was lost."""
    if not await settle(connection, SAMPLING, token, {location_key: now + RESAMPLE_AFTER}):
        return None
    return await record_activity(connection, location_key, posted_at, now)


async def record_activity(
    connection: Connection, location_key: str, posted_at: Sequence[datetime], now: datetime
) -> float:
    """Writes a sample that somebody took by hand; the new safe interval."""
    rate = posts_per_day(posted_at, now)
    days = safe_interval_days(rate)
    await store.record_sample(
        connection, location_key=location_key, posts_per_day=rate, safe_interval_days=days, now=now
    )
    return days


async def settle_sample_error(
    connection: Connection, token: UUID, location_key: str, error: str, now: datetime
) -> bool:
    """A failed sample changes nothing but when it is tried again."""
    failures = await store.record_sample_error(connection, location_key=location_key, error=error, now=now)
    delay = min(LONGEST_RETRY, FIRST_RETRY * 2 ** min(max((failures or 1) - 1, 0), 10))
    return bool(await settle(connection, SAMPLING, token, {location_key: now + delay}))
