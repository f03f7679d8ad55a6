"""The town itself: starts the simulated providers, fills the world, and lets it move."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from aiohttp import web

from dibs.capacity import put_floor
from dibs.clock import SystemClock
from dibs.config import Config
from dibs.config.sections import (
    Auth,
    Cadence,
    Http,
    JsonProvider,
    Offers,
    Pace,
    Provider,
    ResyPace,
    ResyProvider,
    Signals,
    SocProvider,
    Telemetry,
)
from dibs.parts import Parts
from dibs.signals.put import put_product
from dibs.sim.demo.people import People
from dibs.sim.demo.places import (
    DINNERS,
    HOME,
    PASSES,
    RESTAURANT,
    RESTAURANT_NAME,
    dinner_plan,
    floor_document,
    passes_plan,
)
from dibs.sim.demo.tour import Tour
from dibs.sim.faults import Fault
from dibs.sim.food_world import CITIES, FoodWorld
from dibs.sim.json_world import SLOTS, JsonWorld, provider_url
from dibs.sim.loopback import on_loopback
from dibs.sim.resy_world import ResyWorld
from dibs.sim.soc_world import SocWorld
from dibs.telemetry import emit
from dibs.telemetry import events_demo as events

# Known to everybody: the demo listens on this machine only and holds nothing of worth.
ADMIN_TOKEN = "dibs-demo-admin-token"  # noqa: S105 -- see above
PARK, MONTH = "yosemite", "2031-07"
TERM, CAMPUS = "92031", "NB"
SECTIONS, VENUES, SITES = 3000, 60, 40
TURN_S = 2.0
KEPT_S = 120.0
# The bookings of before the demo began are made in its first moments.
EARLY_TURNS, PARTIES_EACH = 10, 8
FAULT_EVERY = 45


class Town:
    """One world: made from a seed, served on loopback, moved by its dice."""

    def __init__(self, seed: int = 1, speed: float = 1.0) -> None:
        self.seed = seed
        self.speed = speed
        self.dice = random.Random(seed)  # noqa: S311 -- the same town for the same seed
        clock = SystemClock()
        # The wall calendar of whoever looks.
        self.day = clock.now().astimezone().date().isoformat()
        self.camps = JsonWorld(dice=random.Random(seed))  # noqa: S311 -- as above
        self.resy = ResyWorld(dice=random.Random(seed))  # noqa: S311 -- as above
        self.soc = SocWorld(dice=random.Random(seed))  # noqa: S311 -- as above
        self.food = FoodWorld(clock, seed=seed)
        self.food.speaks_of(HOME, RESTAURANT_NAME)
        self.received: dict[str, int] = {}
        self.turns = 0
        self._inbox = ""

    @asynccontextmanager
    async def serving(self, data_dir: Path, *, host: str, port: int) -> AsyncIterator[Config]:
        """Starts the providers and gives the configuration that watches them."""
        self.camps.fill(PARK, SITES)
        self.resy.fill(VENUES, self.day, share=0.1)
        self.soc.fill(TERM, CAMPUS, SECTIONS)
        async with AsyncExitStack() as stack:
            camps = await stack.enter_async_context(self.camps.serving())
            resy = await stack.enter_async_context(self.resy.serving())
            soc = await stack.enter_async_context(self.soc.serving())
            collect = await stack.enter_async_context(self.food.running())
            # The same at every start: subscriptions of the last time are still there.
            self._inbox = await stack.enter_async_context(on_loopback(self._mailbox(), inbox_port(data_dir)))
            providers = _providers(camps.url, resy.url, soc.url)
            yield Config(
                data_dir=str(data_dir),
                http=Http(host=host, port=port, allow_private_targets=True),
                auth=Auth(admin_token=ADMIN_TOKEN),
                providers=providers,
                collect=collect,
                signals=Signals(cadences={"demo": 5.0}),
                offers=Offers(hold_ttl_s=max(30, min(600, round(KEPT_S / self.speed)))),
                telemetry=Telemetry(log_level="warning"),
            )

    @asynccontextmanager
    async def playing(self, parts: Parts) -> AsyncIterator[None]:
        """Fills the product and moves the world for as long as this is open."""
        await self.furnish(parts)
        people = People(parts, self._inbox, self.dice)
        parts.tour = Tour(parts, f"{self._inbox}/you").steps()
        task = asyncio.create_task(self._play(people), name="demo")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def furnish(self, parts: Parts) -> None:
        """What is there before anything moves; again it changes nothing."""
        await put_floor(parts.capacity, RESTAURANT, floor_document(), force=True)
        today = parts.clock.now().date()
        cadences = parts.config.signals.schedule().keys()
        await put_product(parts.db, parts.clock, PASSES, passes_plan(today), cadences)
        await put_product(parts.db, parts.clock, DINNERS, dinner_plan(today), cadences)
        for city in CITIES:
            await parts.communities.put(city.key, city.center, posts_per_day=40.0)
        for provider, query in (
            ("camps", {"park": PARK, "month": MONTH}),
            ("resy", {"date": self.day, "time_slot": "20:30"}),
            ("resy", {"date": self.day, "time_slot": "15:00"}),
            ("soc", {"term": TERM, "campus": CAMPUS}),
        ):
            watch, created = await parts.watches.add(provider, query)
            if not created:
                # The town begins anew; that it differs from the last one is neither news nor an outage.
                await parts.poller.poll_now(watch.key, quietly=True)

    async def _play(self, people: People) -> None:
        while True:
            try:
                await self.turn(people)
            except Exception as error:  # noqa: BLE001 -- the show goes on
                emit(events.ACT_FAILED, error=str(error) or type(error).__name__)
            await asyncio.sleep(TURN_S / self.speed)

    async def turn(self, people: People) -> None:
        """One moment of the town: the providers' worlds move a little, and a few people do something."""
        self.turns += 1
        self.camps.move(PARK, share=0.05)
        self.resy.move(self.day, share=0.01)
        self.soc.move(TERM, CAMPUS, count=2)
        if self.turns % FAULT_EVERY == 0:
            world = self.dice.choice((self.camps, self.resy, self.soc))
            world.faults.script.extend([self.dice.choice((Fault.SERVER_ERROR, Fault.HTML, Fault.TRUNCATED))] * 2)
        if self.turns <= EARLY_TURNS:
            await people.come_in(PARTIES_EACH)
        for _ in range(self.dice.randint(1, 3)):
            await people.act()

    def _mailbox(self) -> web.Application:
        """Where the town's people receive their notices."""

        async def receive(request: web.Request) -> web.Response:
            name = request.match_info["name"]
            self.received[name] = self.received.get(name, 0) + 1
            await request.read()
            return web.Response(status=204)

        app = web.Application()
        app.router.add_post("/{name}", receive)
        return app


def _providers(camps: str, resy: str, soc: str) -> dict[str, Provider]:
    cadence = Cadence(interval_s=2.0, jitter=0.3, min_interval_s=1.0)
    return {
        "camps": JsonProvider(url=provider_url(camps), slots=SLOTS, cadence=cadence, pace=Pace(gap_ms=50, pause_s=5.0)),
        "resy": ResyProvider(base_url=resy, api_key="demo", cadence=cadence, pace=ResyPace(gap_ms=50, pause_s=5.0)),
        "soc": SocProvider(base_url=soc, cadence=cadence, pace=Pace(gap_ms=50, pause_s=5.0), catalog_interval_s=60.0),
    }


def inbox_port(data_dir: Path) -> int:
    """The port of the inbox in this folder's world: chosen once, and chosen anew only if somebody took it."""
    kept = data_dir / "inbox-port"
    for port in (int(kept.read_text()) if kept.exists() else 0, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            chosen = probe.getsockname()[1]
        data_dir.mkdir(parents=True, exist_ok=True)
        kept.write_text(str(chosen))
        return chosen
    return 0
