"""What the providers know: every place that was seen, and our own products."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dibs.clock import Clock
from dibs.config import ResyProvider, SocProvider
from dibs.db import Connection, Database
from dibs.demand.model import CollectionRequest
from dibs.places import community_store, entity_store
from dibs.places.geo import Point
from dibs.places.model import EntityType
from dibs.places.names import key_of
from dibs.signals.model import PROVIDER as OWN
from dibs.wanted import store
from dibs.wanted.model import Group, Verdict
from dibs.wanted.rules import area_of, match
from dibs.wanted.store import OwnGroup, SeenGroup
from dibs.watch import WatchedProvider


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Reads what is known, and finds a request in it."""

    db: Database
    clock: Clock
    providers: Mapping[str, WatchedProvider]
    within_km: float

    async def groups(self) -> list[Group]:
        """Every place that a request may mean. Courses are nobody's restaurant."""
        asked = [name for name, one in self.providers.items() if not isinstance(one.config, SocProvider)]
        async with self.db.connection() as connection:
            seen = await store.list_groups(connection, providers=asked)
            own = await store.list_own(connection, today=self.clock.now().date())
        return [*(_own(one) for one in own), *(self._seen(one) for one in seen)]

    async def find(self, request: CollectionRequest, groups: list[Group]) -> Verdict:
        """Which of the groups the request means."""
        async with self.db.connection() as connection:
            names = await _names(connection, request)
            place = await _place(connection, request)
        return match(names, groups, place, self.within_km)

    def _seen(self, seen: SeenGroup) -> Group:
        config = self.providers[seen.provider].config
        # A bare number is the provider's own, and nobody's name.
        keys = () if seen.group_key.isdigit() else (seen.group_key,)
        names = tuple(name for name in (seen.title, *keys) if name and name.strip()) or (seen.group_key,)
        return Group(
            seen.provider,
            seen.group_key,
            tuple(dict.fromkeys(names)),
            f"group:{seen.provider}:{seen.group_key}",
            watch_key=seen.watch_key,
            area=area_of(config.bounding_box) if isinstance(config, ResyProvider) else None,
        )


def _own(own: OwnGroup) -> Group:
    names = tuple(name for name in (own.title, own.restaurant) if name and name.strip())
    return Group(OWN, own.group_key, names or (own.group_key,), f"group:{own.group_key}")


async def _names(connection: Connection, request: CollectionRequest) -> list[str]:
    """The term, and the name of the restaurant that it stands for where it is known by an alias."""
    named = await entity_store.find_named(
        connection, keys=[key_of(request.term)], location_key=request.location_key or request.run_location_key
    )
    return [request.term, *(one.name for one in named if one.type == EntityType.RESTAURANT)]


async def _place(connection: Connection, request: CollectionRequest) -> Point | None:
    key = request.location_key or request.run_location_key
    community = await community_store.get_community(connection, location_key=key) if key else None
    return Point(community.lat, community.lng) if community else None
