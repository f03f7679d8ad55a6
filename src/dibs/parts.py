"""What a running process is made of; faces and loops take it as their only argument."""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dibs.access import Gate
from dibs.capacity import Capacity
from dibs.clock import Clock
from dibs.config import Config
from dibs.db import Database
from dibs.demand.autocomplete import Autocomplete
from dibs.demand.collect import Collector
from dibs.demand.decide import Limits
from dibs.demand.enrich import Enricher
from dibs.demand.queue import CollectionQueue
from dibs.demand.requests import Requests
from dibs.demand.sample import Sampler
from dibs.demand.search import Search
from dibs.demand.sight import Sight
from dibs.notify import Notify, build_notify
from dibs.offers import Claim, FloorKeeper, Join, Keepers, Line, PoolKeeper, PruneLine, Usher
from dibs.offers import Settings as LineSettings
from dibs.openings import Stream
from dibs.places.communities import Communities
from dibs.places.entities import Entities
from dibs.sources import Client
from dibs.sources.google_places import GooglePlacesSource
from dibs.sources.reddit import RedditSource
from dibs.trace import Tracer
from dibs.wanted import Wanted, build_wanted
from dibs.watch import (
    CatalogLoader,
    Ingest,
    Poller,
    RollingWindows,
    SnapshotRetention,
    WatchedProvider,
    Watches,
    watched_providers,
)
from dibs.work import Wake


def worker_name() -> str:
    """Who holds a lease, for people who look: host and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True, slots=True)
class TourStep:
    """Something for a newcomer to try: `act` does it and gives the address of the page that shows it."""

    title: str
    act: Callable[[], Awaitable[str]]


@dataclass
class Parts:
    """Configuration, database, clock, and one object per domain, made when first asked for."""

    config: Config
    db: Database
    clock: Clock
    wake: Wake
    signing_key: bytes
    client: Client
    worker: str = field(default_factory=worker_name)
    # Only the demo has one.
    tour: Sequence[TourStep] = ()

    @cached_property
    def gate(self) -> Gate:
        return Gate(self.db, self.clock)

    @cached_property
    def stream(self) -> Stream:
        return Stream(self.db, self.wake)

    @cached_property
    def providers(self) -> dict[str, WatchedProvider]:
        return watched_providers(self.config, self.clock)

    @cached_property
    def watches(self) -> Watches:
        return Watches(self.db, self.clock, self.providers)

    @cached_property
    def ingest(self) -> Ingest:
        return Ingest(self.db, self.clock, self.providers)

    @cached_property
    def poller(self) -> Poller:
        return Poller(self.db, self.clock, self.client, self.providers, self.worker, self.wake)

    @cached_property
    def windows(self) -> RollingWindows:
        return RollingWindows(self.db, self.clock, self.providers, self.watches)

    @cached_property
    def catalogs(self) -> CatalogLoader:
        return CatalogLoader(self.db, self.clock, self.client, self.providers, self.ingest, self.worker)

    @cached_property
    def snapshot_retention(self) -> SnapshotRetention:
        return SnapshotRetention(self.db, self.clock, self.config.retention.snapshot_days)

    @cached_property
    def notify(self) -> Notify:
        return build_notify(
            self.config,
            self.db,
            self.clock,
            self.wake,
            worker=self.worker,
            public_url=self.public_url,
            signing_key=self.signing_key,
        )

    @cached_property
    def capacity(self) -> Capacity:
        return Capacity(self.db, self.clock, self.config.capacity)

    @cached_property
    def line_settings(self) -> LineSettings:
        offers = self.config.offers
        return LineSettings(
            hold_ttl_s=offers.hold_ttl_s,
            max_lapses=offers.max_lapses,
            max_passed=offers.max_passed,
            first_for_s=offers.first_for_s,
        )

    @cached_property
    def join(self) -> Join:
        return Join(self.db, self.clock, self.capacity, self.notify)

    @cached_property
    def keepers(self) -> Keepers:
        return Keepers(
            floor=FloorKeeper(self.db, self.clock, self.capacity, self.line_settings),
            pool=PoolKeeper(self.db, self.clock, self.line_settings),
        )

    @cached_property
    def claim(self) -> Claim:
        return Claim(self.db, self.clock, self.keepers, self.line_settings, self.signing_key, worker=self.worker)

    @cached_property
    def line(self) -> Line:
        return Line(self.db, self.clock, self.line_settings, self.claim)

    @cached_property
    def usher(self) -> Usher:
        return Usher(self.db, self.clock, self.keepers, self.line_settings, worker=self.worker)

    @cached_property
    def prune_line(self) -> PruneLine:
        return PruneLine(self.db, self.clock, self.config.retention.line_days)

    @cached_property
    def tracer(self) -> Tracer:
        return Tracer(self.db, self.watches, self.notify, self.line)

    async def close(self) -> None:
        """Writes what the domain objects that were made still hold in memory."""
        if "capacity" in vars(self):
            await self.capacity.close()
        if "notify" in vars(self):
            await self.notify.close()

    @cached_property
    def communities(self) -> Communities:
        return Communities(self.db, self.clock)

    @cached_property
    def entities(self) -> Entities:
        return Entities(self.db)

    @cached_property
    def demand_limits(self) -> Limits:
        demand = self.config.demand
        return Limits(
            low_result_threshold=demand.low_result_threshold,
            min_viewport_miles=demand.min_viewport_miles,
            max_targets=demand.max_targets,
            max_waiting=demand.max_waiting,
            max_batches=demand.max_batches,
        )

    @cached_property
    def sight(self) -> Sight:
        return Sight(self.db, self.clock, self.demand_limits)

    @cached_property
    def search(self) -> Search:
        return Search(self.db, self.clock, self.sight, self.config.demand.max_community_km)

    @cached_property
    def autocomplete(self) -> Autocomplete:
        return Autocomplete(self.db, self.config.demand.max_community_km)

    @cached_property
    def collection_requests(self) -> Requests:
        return Requests(self.db, self.clock)

    @cached_property
    def collection_queue(self) -> CollectionQueue:
        return CollectionQueue(self.db, self.clock, self.demand_limits, self.worker)

    @cached_property
    def reddit(self) -> RedditSource:
        return RedditSource(self.config.collect.reddit, self.client, self.db, self.clock)

    @cached_property
    def google_places(self) -> GooglePlacesSource:
        return GooglePlacesSource(self.config.collect.google_places, self.client, self.db, self.clock)

    @cached_property
    def collector(self) -> Collector:
        return Collector(self.db, self.clock, self.collection_queue, self.reddit, self.config.collect)

    @cached_property
    def enricher(self) -> Enricher:
        return Enricher(
            self.db,
            self.clock,
            self.google_places,
            self.worker,
            refresh_days=self.config.collect.google_places.refresh_days,
            within_km=self.config.demand.max_community_km,
        )

    @cached_property
    def sampler(self) -> Sampler:
        return Sampler(self.db, self.clock, self.reddit, self.worker)

    @cached_property
    def wanted(self) -> Wanted:
        return build_wanted(
            self.config,
            self.db,
            self.clock,
            requests=self.collection_requests,
            notify=self.notify,
            watches=self.watches,
            providers=self.providers,
            worker=self.worker,
        )

    @property
    def public_url(self) -> str:
        """Where people reach this installation, without a slash at the end."""
        http = self.config.http
        return (http.public_url or f"http://{http.host}:{http.port}").rstrip("/")
