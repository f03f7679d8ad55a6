"""`steady`: what a watch's look costs with 1,000,000 past events of its own slots, against 1,000.

The same watch on the same world in two databases, taking turns. Half of the looks change something, half are
heartbeats, one after the other through the whole path.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

from psycopg.conninfo import conninfo_to_dict

from bench.harness import Bench, Result
from bench.harness.bench import clean_database
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Cadence, Config, JsonProvider
from dibs.config.sections import Http, Pace, Policy
from dibs.parts import Parts
from dibs.sim.json_world import SLOTS, JsonWorld, provider_url

KEY = "camps:yosemite_2026-07"
PAST = """
INSERT INTO open_event (provider, watch_key, slot_id, slot_key, group_key, subject, status_before, status_after,
                        seat_delta, event_at, detected_by, dedupe_key, trace_id, payload, topics, generation, reason)
SELECT slot.provider, slot.watch_key, slot.slot_id, slot.slot_key, slot.group_key, '{}', 'Closed', 'Open', 1,
       now() - interval '1 day' - n * interval '1 s', 'poll', 'past|' || n || '|' || slot.slot_id, 'past',
       slot.payload, ARRAY['watch:' || slot.watch_key], 1, 'opened'
FROM slot, generate_series(1, {events} / (SELECT count(*) FROM slot)) AS n
"""


async def run(bench: Bench) -> list[Result]:
    many, looks = bench.sized(1_000_000, 20_000), bench.sized(60, 10)
    world = JsonWorld(dice=random.Random(1))
    world.fill("yosemite", 100, share_open=0.5)
    async with world.serving() as server:
        provider = JsonProvider(
            url=provider_url(server.url),
            slots=SLOTS,
            cadence=Cadence(interval_s=3600),
            pace=Pace(gap_ms=0),
            # While one database is measured, much changes for the other; that is no incident.
            policy=Policy(dedupe_s=0, gate_min_drop=1000),
        )
        config = Config(http=Http(allow_private_targets=True), providers={"camps": provider})
        async with bench.parts(config) as parts:
            await parts.watches.add("camps", {"park": "yosemite", "month": "2026-07"})
            await parts.poller.poll_now(KEY)
        name = str(conninfo_to_dict(bench.dsn)["dbname"])
        async with clean_database(bench.dsn, name) as other:
            await bench.fill(PAST.replace("{events}", "1000"))
            bench.say(f"storing {many:,} past events")
            await Bench(other).fill(PAST.replace("{events}", str(many)))
            async with (
                parts_on(bench.dsn, config, SystemClock()) as small,
                parts_on(other, config, SystemClock()) as large,
            ):
                value, floor = await bench.compare(_looks(large, world, looks), _looks(small, world, looks), rounds=5)
    note = f"{many:,} past events against 1,000"
    return [Result("steady", 1000 / value, "ms/look", floor=1000 / floor, at_most=1.2, note=note)]


def _looks(parts: Parts, world: JsonWorld, count: int) -> Callable[[], Awaitable[int]]:
    async def look() -> int:
        for _ in range(count // 2):
            world.move("yosemite", share=0.03)
            await parts.poller.poll_now(KEY)
            await parts.poller.poll_now(KEY)
        return count

    return look
