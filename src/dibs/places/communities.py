"""Communities: put, list, and which one is near."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite

from dibs.clock import Clock
from dibs.db import Database
from dibs.errors import Invalid, NotFound
from dibs.places import community_store as store
from dibs.places.activity import safe_interval_days
from dibs.places.geo import Bounds, Point, centre, check_point
from dibs.places.model import Community

KEY = re.compile(r"[a-z0-9_]{2,50}")
# Nobody reads more than this; a larger number is a mistake of units.
MOST_POSTS_PER_DAY = 1_000_000


def location_key_of(name: str) -> str:
    """The key of a community: the subreddit's name in lower case, with or without `r/`."""
    key = name.strip().removeprefix("/").removeprefix("r/").lower()
    if not KEY.fullmatch(key):
        raise Invalid(
            "The key of a community is a subreddit's name: 2 to 50 letters, digits or underscores.",
            field="key",
        )
    return key


@dataclass(frozen=True, slots=True)
class Communities:
    """The cities there are."""

    db: Database
    clock: Clock

    async def put(
        self, name: str, center: Point, *, active: bool = True, posts_per_day: float | None = None
    ) -> Community:
        """Makes or changes a community; it is sampled soon, and what was set by hand holds until then."""
        if posts_per_day is not None and not 0 <= posts_per_day <= MOST_POSTS_PER_DAY:
            raise Invalid(f"posts_per_day must lie between 0 and {MOST_POSTS_PER_DAY}", field="posts_per_day")
        if posts_per_day is not None and not isfinite(posts_per_day):
            raise Invalid("posts_per_day must be a number", field="posts_per_day")
        async with self.db.connection() as connection:
            return await store.put_community(
                connection,
                location_key=location_key_of(name),
                center=check_point(center, "center"),
                active=active,
                posts_per_day=posts_per_day,
                safe_interval_days=safe_interval_days(posts_per_day),
                now=self.clock.now(),
            )

    async def get(self, name: str) -> Community:
        async with self.db.connection() as connection:
            found = await store.get_community(connection, location_key=location_key_of(name))
        if found is None:
            raise NotFound(f"There is no community {name}; `dibs community add` makes one.")
        return found

    async def list(self, *, limit: int, after: str | None = None, active: bool | None = None) -> list[Community]:
        async with self.db.connection() as connection:
            return await store.list_communities(connection, limit=limit, after=after, active=active)


def points_of(bounds: Bounds | None, user_location: Point | None) -> list[Point]:
    """Where a search is, best first: the middle of what is looked at, else where the person is."""
    return [point for point in (centre(bounds) if bounds else None, user_location) if point]
