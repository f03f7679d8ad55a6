"""Cities that people eat and write in: one truth behind the simulated Reddit and the simulated Places.

Every restaurant has a place on the map; people name it in posts and comments, with what is good there. The
demo starts with communities and nothing else, so the first search finds nothing and sets everything in motion.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from msgspec import structs

from dibs.clock import Clock
from dibs.config.sections import Collect, GooglePlaces, Reddit
from dibs.places.geo import Point
from dibs.sim.google_places import GooglePlacesSim
from dibs.sim.loopback import on_loopback
from dibs.sim.reddit import RedditSim, Talk
from dibs.sim.reddit_talk import FOODS, known_names, say_something

RESTAURANTS = 40
POSTS = 120
ANSWERS = 6


@dataclass(frozen=True, slots=True)
class City:
    """A community with its centre."""

    key: str
    name: str
    region: str
    center: Point


CITIES = (
    City("austinfood", "Austin", "TX", Point(30.2672, -97.7431)),
    City("foodnyc", "New York", "NY", Point(40.7410, -73.9897)),
    City("portlandfood", "Portland", "OR", Point(45.5152, -122.6784)),
)


@dataclass
class FoodWorld:
    """The truth: which restaurants there are in each city, and what they are good at."""

    clock: Clock
    seed: int = 1
    cities: tuple[City, ...] = CITIES
    restaurants: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def __post_init__(self) -> None:
        self.reddit = RedditSim(self.clock)
        self.places = GooglePlacesSim()
        rng = random.Random(self.seed)  # noqa: S311 -- the same world for the same seed
        names = known_names(rng, RESTAURANTS * len(self.cities))
        for number, city in enumerate(self.cities):
            self._settle(rng, city, names[number * RESTAURANTS : (number + 1) * RESTAURANTS])

    def _settle(self, rng: random.Random, city: City, names: list[str]) -> None:
        self.reddit.found(city.key)
        self.restaurants[city.key] = names
        for name in names:
            at = Point(city.center.lat + rng.uniform(-0.06, 0.06), city.center.lng + rng.uniform(-0.06, 0.06))
            street = f"{rng.randint(1, 9999)} {rng.choice(('Oak', 'Main', 'River'))} St"
            self.places.put(name, at, address=f"{street}, {city.name}, {city.region}, USA")
        for _ in range(POSTS):
            self._write(rng, city, names)

    def _write(self, rng: random.Random, city: City, names: list[str]) -> None:
        food = rng.choice(FOODS)
        titles = (f"Best {food} in {city.name}?", f"Where do you get {food}?", f"{rng.choice(names)}: {food}")
        self.reddit.post(
            city.key,
            rng.choice(titles),
            say_something(rng, names),
            comments=[self._answer(rng, names) for _ in range(ANSWERS)],
            score=rng.randint(1, 400),
            age=timedelta(hours=rng.uniform(1, 24 * 300)),
        )

    def speaks_of(self, key: str, name: str) -> None:
        """People of the city name one more place, and it is on the map."""
        rng = random.Random(f"{self.seed}:{name}")  # noqa: S311 -- as above
        city = next(city for city in self.cities if city.key == key)
        self.places.put(name, city.center, address=f"12 Main St, {city.name}, {city.region}, USA")
        for food in rng.sample(FOODS, 4):
            self.reddit.post(key, f"{name}: the {food}", f"Has anybody been to {name}?", comments=[f"Try {name}!"])

    def _answer(self, rng: random.Random, names: list[str]) -> Talk:
        said = f"Try {rng.choice(names)}!" if rng.random() < 0.5 else say_something(rng, names)
        return (said, [f"Second {rng.choice(names)}"]) if rng.random() < 0.3 else said

    @asynccontextmanager
    async def running(self, *, brisk: bool = True) -> AsyncIterator[Collect]:
        """Serves both, and gives the configuration that leads there; `brisk` takes the spacing away."""
        async with on_loopback(self.reddit.app()) as reddit_url, on_loopback(self.places.app()) as places_url:
            reddit = Reddit(
                api_base=reddit_url,
                auth_base=reddit_url,
                client_id=self.reddit.client_id,
                client_secret=self.reddit.client_secret,
            )
            if brisk:
                self.reddit.per_window = 10**9
                reddit = structs.replace(reddit, requests_per_minute=6000, search_gap_s=0.0, page_gap_s=0.0)
            yield Collect(reddit=reddit, google_places=GooglePlaces(base_url=places_url, api_key=self.places.api_key))
