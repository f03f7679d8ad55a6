"""Sampling: how much is written in a community, from its newest posts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import Unavailable
from dibs.places.activity import SAMPLE_POSTS, SAMPLE_WINDOW
from dibs.places.sampling import claim_communities, record_activity, settle_sample, settle_sample_error
from dibs.sources.model import Failure
from dibs.sources.reddit import RedditSource
from dibs.telemetry import emit, events_demand
from dibs.work import Claim

# Ten pages, each of which may wait for its turn.
LEASE_S = 900.0


@dataclass(frozen=True, slots=True)
class Sampler:
    """Samples communities that are new or whose sample is a month old."""

    db: Database
    clock: Clock
    reddit: RedditSource
    worker: str

    async def run_once(self) -> float:
        if not self.reddit.configured:
            return 60.0
        now = self.clock.for_database()
        async with self.db.transaction() as connection:
            held = await claim_communities(connection, limit=1, lease_s=LEASE_S, worker=self.worker, now=now)
        for location_key in held.keys:
            await self._sample(held, location_key)
        return 0.0 if held.keys else 60.0

    async def now(self, location_key: str) -> float:
        """By hand: the new safe interval in days. The community must exist."""
        posted_at = await self.newest(location_key)
        if isinstance(posted_at, Failure):
            raise Unavailable(f"r/{location_key} could not be sampled: {posted_at.reason}", code="sample_failed")
        async with self.db.transaction() as connection:
            return await record_activity(connection, location_key, posted_at, self.clock.now())

    async def newest(self, location_key: str) -> list[datetime] | Failure:
        """When the newest posts were written: up to 1,000 of the last 30 days."""
        found: dict[str, datetime] = {}
        after: str | None = None
        while True:
            page = await self.reddit.newest(location_key, after=after)
            if isinstance(page, Failure):
                return page
            before = len(found)
            found |= {post.post_id: post.posted_at for post in page.posts}
            oldest = min((post.posted_at for post in page.posts), default=None)
            past = oldest is not None and oldest < self.clock.now() - SAMPLE_WINDOW
            if page.after is None or past or len(found) >= SAMPLE_POSTS or len(found) == before:
                return list(found.values())
            after = page.after

    async def _sample(self, held: Claim, location_key: str) -> None:
        posted_at = await self.newest(location_key)
        async with self.db.transaction() as connection:
            now = self.clock.now()
            if isinstance(posted_at, Failure):
                await settle_sample_error(connection, held.token, location_key, posted_at.reason, now)
                emit(events_demand.COMMUNITY_UNREAD, location_key=location_key, reason=posted_at.reason)
                return
            days = await settle_sample(connection, held.token, location_key, posted_at, now)
        if days is not None:
            emit(events_demand.COMMUNITY_SAMPLED, location_key=location_key, safe_interval_days=round(days, 1))
