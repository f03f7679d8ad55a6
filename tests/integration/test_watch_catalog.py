"""The catalog gives indexes their names; rolling windows and retention keep the house."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dibs.clock import FakeClock
from dibs.sim.faults import Fault
from dibs.sim.resy_world import ResyWorld
from dibs.sim.soc_world import SocWorld
from dibs.watch.retention import SnapshotRetention
from dibs.watch.window import days
from watch_harness import resy_provider, rig, soc_rig

TERM = ("92025", "NB")


async def test_an_opening_carries_title_and_meetings(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 12, share_open=0.0)
    world.opens(*TERM, "00001")
    async with soc_rig(dsn, clock, world) as made:
        world.catalog_faults.script.append(Fault.BAD_RECORD)
        assert await made.parts.catalogs.run_once() == 0.0
        await made.poll()
        world.opens(*TERM, "00003")
        world.opens(*TERM, "00007")
        world.opens(*TERM, "99999")
        world.uncatalogued.add("99999")
        await made.step()
        named, asynchronous, unknown = sorted(await made.events("Open"), key=lambda event: event.slot_key)
        assert named.payload["title"] == "CALCULUS II"
        assert named.payload["meetings"] == "H 15:50-17:10 LIV TIL 254"
        assert named.group_key == "01:198:001"
        assert named.item_id is not None
        assert named.topics[1] == "group:soc:01:198:001"
        assert asynchronous.payload["meetings"] == "TBA"
        assert unknown.item_id is None
        assert unknown.detected_by == "open_sections"


async def test_the_same_catalog_is_not_read_twice_and_a_failure_is_tried_again(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.fill(*TERM, 5)
    async with soc_rig(dsn, clock, world) as made:
        world.catalog_faults.script.append(Fault.HTML)
        assert await made.parts.catalogs.run_once() == 0.0
        assert await made.parts.catalogs.run_once() > 0
        clock.advance(301)
        assert await made.parts.catalogs.run_once() == 0.0
        asked = len(made.server.log.entries)
        assert await made.parts.catalogs.run_once() > 0
        assert len(made.server.log.entries) == asked


async def test_with_catalog_only_an_unknown_index_is_nobodys_news(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.opens(*TERM, "00001")
    async with soc_rig(dsn, clock, world, catalog_only=True) as made:
        await made.parts.catalogs.run_once()
        await made.poll()
        world.uncatalogued.add("00005")
        world.opens(*TERM, "00005")
        await made.step()
        assert await made.events() == []
        # Its entry comes later: available from then on, and still not an opening that just happened.
        world.uncatalogued.clear()
        clock.advance(901)
        await made.parts.catalogs.run_once()
        await made.step()
        assert await made.events() == []
        async with made.parts.db.connection() as connection:
            cursor = await connection.execute("SELECT count(*) FROM slot WHERE open")
            assert await cursor.fetchone() == (2,)


async def test_the_window_starts_yesterday_and_moves(dsn: str, clock: FakeClock):
    world = ResyWorld()
    async with world.serving() as server:
        provider = resy_provider(server, window_days=14)
        async with rig(dsn, clock, server, {"resy": provider}) as made:
            await made.parts.watches.add("resy", {"date": "2026-02-01", "time_slot": "20:30"})
            await made.parts.windows.run_once()
            keys = [watch.key for watch in await made.parts.watches.page(limit=100)]
            assert len(keys) == 29
            assert "resy:2026-03-01_15:00" in keys
            assert "resy:2026-03-14_20:30" in keys
            clock.advance(86_400)
            await made.parts.windows.run_once()
            keys = [watch.key for watch in await made.parts.watches.page(limit=100)]
            assert len(keys) == 29
            assert "resy:2026-03-01_15:00" not in keys
            assert "resy:2026-03-15_20:30" in keys
            # A watch that a person added is not the window's to remove.
            assert "resy:2026-02-01_20:30" in keys


def test_the_window_is_reckoned_where_the_venues_are():
    just_after_midnight_utc = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
    assert days(just_after_midnight_utc, "America/New_York", 1)[0].isoformat() == "2026-02-28"


async def test_old_snapshots_are_dropped_by_the_day(dsn: str, clock: FakeClock):
    world = SocWorld()
    world.opens(*TERM, "00001")
    async with soc_rig(dsn, clock, world) as made:
        retention = SnapshotRetention(made.parts.db, clock, days=2)
        await retention.run_once()
        await made.poll()
        for _ in range(4):
            clock.advance(86_400)
            await retention.run_once()
            await made.poll()
        found = await made.parts.watches.snapshots("soc:92025:NB", since=clock.now() - timedelta(days=30), limit=100)
        assert len(found) == 3
        async with made.parts.db.connection() as connection:
            cursor = await connection.execute("SELECT count(*) FROM watch_snapshot_other")
            assert await cursor.fetchone() == (0,)
