"""What tests of collection share: simulated Reddit and Places over real HTTP, sources on top of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Collect, GooglePlaces, Http, Reddit
from dibs.db import Database
from dibs.demand.model import CollectionRequest
from dibs.parts import Parts
from dibs.places.geo import Point
from dibs.sim.google_places import GooglePlacesSim
from dibs.sim.loopback import on_loopback
from dibs.sim.reddit import RedditSim
from dibs.sources.google_places import GooglePlacesSource
from dibs.sources.http import open_client
from dibs.sources.reddit import RedditSource

AUSTIN = Point(30.2672, -97.7431)
DALLAS = Point(32.7767, -96.7970)


def time_passes(clock: FakeClock) -> Callable[[float], Awaitable[None]]:
    """A sleep that costs no time of ours: the clock moves instead."""

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    return sleep


@dataclass(frozen=True, slots=True)
class Outside:
    """The simulated outside world, and the configuration that leads there."""

    reddit: RedditSim
    places: GooglePlacesSim
    config: Config


@asynccontextmanager
async def outside_world(clock: FakeClock, **reddit: float) -> AsyncIterator[Outside]:
    reddit_sim, places_sim = RedditSim(clock, **reddit), GooglePlacesSim()  # pyright: ignore[reportArgumentType] -- numbers by name
    async with on_loopback(reddit_sim.app()) as reddit_url, on_loopback(places_sim.app()) as places_url:
        collect = Collect(
            reddit=Reddit(
                api_base=reddit_url,
                auth_base=reddit_url,
                client_id=reddit_sim.client_id,
                client_secret=reddit_sim.client_secret,
                timeout_s=10,
            ),
            google_places=GooglePlaces(base_url=places_url, api_key=places_sim.api_key, timeout_s=10),
        )
        yield Outside(reddit_sim, places_sim, Config(http=Http(allow_private_targets=True), collect=collect))


@dataclass(frozen=True, slots=True)
class Sources:
    reddit: RedditSource
    places: GooglePlacesSource


@asynccontextmanager
async def sources_of(config: Config, db: Database, clock: FakeClock) -> AsyncIterator[Sources]:
    async with open_client(allow_private=True) as client:
        sleep = time_passes(clock)
        yield Sources(
            RedditSource(config.collect.reddit, client, db, clock, sleep),
            GooglePlacesSource(config.collect.google_places, client, db, clock, sleep),
        )


async def collect_all(parts: Parts) -> None:
    """What the loops do, until nothing is due: collects, then looks places up."""
    while not await parts.collector.run_once():
        pass
    while not await parts.enricher.run_once():
        pass


def lead_outside(parts: Parts, outside: Outside, clock: FakeClock) -> None:
    """The parts ask the simulated world, and waiting for a turn moves the clock."""
    sleep = time_passes(clock)
    collect = outside.config.collect
    parts.reddit = RedditSource(collect.reddit, parts.client, parts.db, clock, sleep)
    parts.google_places = GooglePlacesSource(collect.google_places, parts.client, parts.db, clock, sleep)


async def only_request(parts: Parts) -> CollectionRequest:
    [request] = await parts.collection_requests.list(limit=10)
    return request
