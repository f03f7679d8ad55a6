"""The demo's town: furnished once, the same for the same seed, and it moves."""

from __future__ import annotations

import socket
from datetime import timedelta
from pathlib import Path

import pytest

from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.openings import EventFilter, list_events
from dibs.sim.demo import Town
from dibs.sim.demo.people import WANTED_VENUES, People
from dibs.sim.demo.town import inbox_port


@pytest.mark.timeout(120)
async def test_the_town_is_furnished_twice_and_people_act_in_it(dsn: str, tmp_path: Path) -> None:
    town = Town(3)
    async with (
        town.serving(tmp_path, host="127.0.0.1", port=0) as config,
        parts_on(dsn, config, SystemClock()) as parts,
    ):
        await town.furnish(parts)
        await parts.poller.poll_due()
        # Another evening, another town: nothing of it is suspected, and nothing announced.
        town.resy.slots.clear()
        town.resy.fill(60, town.day, share=0.05)
        await town.furnish(parts)
        assert {watch.status for watch in await parts.watches.page(limit=10)} == {"healthy"}
        assert await list_events(parts.db, EventFilter(since=parts.clock.now() - timedelta(days=1)), limit=5) == []
        people = People(parts, "http://127.0.0.1:9", town.dice)
        deeds = {(await people.act()).split(":")[0] for _ in range(120)}
        assert {"book", "hold", "cancel", "buy_pass", "return_pass", "search", "subscribe"} <= deeds
        assert {"stand_in_line", "answer_offer", "want_a_table"} <= deeds
        before = town.camps.open_sites("yosemite")
        for _ in range(10):
            await town.turn(people)
        assert town.camps.open_sites("yosemite") != before


@pytest.mark.timeout(120)
async def test_what_the_town_wants_becomes_a_watch(dsn: str, tmp_path: Path) -> None:
    town = Town(3)
    async with (
        town.serving(tmp_path, host="127.0.0.1", port=0) as config,
        parts_on(dsn, config, SystemClock()) as parts,
    ):
        await town.furnish(parts)
        # Every venue has a table, so that the first poll makes each of them known.
        for venue in range(1, WANTED_VENUES + 1):
            town.resy.opens(venue, f"{town.day} 20:00:00")
        await parts.poller.poll_now(f"resy:{town.day}_20:30")
        people = People(parts, "http://127.0.0.1:9", town.dice)
        for _ in range(WANTED_VENUES * 10):
            await people.want_a_table()
        await parts.wanted.consider.run_once()
        watched = await parts.wanted.watch.list(limit=50, status="watched")
        assert watched
        assert {place.watched_by for place in watched} == {"rule"}
        assert sum(place.askers for place in watched) > 0


def test_the_same_seed_is_the_same_town() -> None:
    one, other, another = Town(5), Town(5), Town(6)
    for town in (one, other, another):
        town.camps.fill("yosemite", 40)
        town.soc.fill("92031", "NB", 200)
    assert one.camps.parks == other.camps.parks
    assert one.camps.parks != another.camps.parks
    assert one.soc.open_indexes("92031", "NB") == other.soc.open_indexes("92031", "NB")
    assert [one.dice.random() for _ in range(5)] == [other.dice.random() for _ in range(5)]


def test_the_inbox_is_where_it_was(tmp_path: Path) -> None:
    first = inbox_port(tmp_path / "world")
    assert inbox_port(tmp_path / "world") == first
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        assert inbox_port(tmp_path / "world") != first
