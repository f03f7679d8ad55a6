"""`dibs watch`, `dibs feed` and `dibs replay`, as one calls them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from dibs.cli.main import app
from dibs.clock import FakeClock
from dibs.config import Policy
from dibs.sim.json_world import SLOTS, JsonWorld, provider_url
from dibs.sim.resy_world import ResyWorld
from dibs.sim.soc_world import SocWorld
from watch_harness import DAY, resy_rig, soc_rig


async def dibs(*arguments: str, config: Path) -> tuple[int, str]:
    """Runs the command in a thread, where it can have a loop of its own."""
    call = [*arguments, "--config", str(config)]
    result = await asyncio.to_thread(CliRunner().invoke, app, call)
    return result.exit_code, result.output


def write_config(folder: Path, dsn: str, url: str) -> Path:
    file = folder / "dibs.toml"
    file.write_text(
        f"""
data_dir = "{folder}"
[database]
url = "{dsn}"
[http]
allow_private_targets = true
[providers.camps]
kind = "json"
url = "{provider_url(url)}"
slots = "{SLOTS}"
""",
        encoding="utf-8",
    )
    return file


async def test_add_list_poll_and_feed(dsn: str, tmp_path: Path):
    world = JsonWorld()
    world.opens("yosemite", "A1")
    async with world.serving() as server:
        config = write_config(tmp_path, dsn, server.url)
        code, text = await dibs("watch", "add", "camps", "park=yosemite", "month=2026-07", config=config)
        assert (code, text.strip()) == (0, "watching camps:yosemite_2026-07")
        code, text = await dibs("watch", "poll", "camps:yosemite_2026-07", config=config)
        assert code == 0, text
        assert text.startswith("bootstrapped: ")
        world.opens("yosemite", "B2")
        code, text = await dibs("watch", "poll", "camps:yosemite_2026-07", "--json", config=config)
        assert json.loads(text)["opened"] == 1
        code, text = await dibs("watch", "list", "--json", config=config)
        assert json.loads(text)[0]["status"] == "healthy"
        code, text = await dibs("feed", config=config)
        assert "Site B2" in text
        code, text = await dibs("watch", "poll", "camps:nowhere", config=config)
        assert code == 1
        assert "There is no watch" in text


async def replayed(folder: Path, *options: str) -> list[dict[str, Any]]:
    """What the recordings in the folder would have come to."""
    config = folder / "dibs.toml"
    config.write_text("", encoding="utf-8")
    code, text = await dibs("replay", *map(str, _recordings(folder)), "--json", *options, config=config)
    assert code == 0, text
    return [json.loads(line) for line in text.splitlines()]


def emitted(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(event["slot_key"], event["status_after"]) for row in rows for event in row["events"]]


async def test_a_policy_is_tried_on_history(dsn: str, clock: FakeClock, tmp_path: Path):
    world = ResyWorld()
    world.opens(1, f"{DAY} 20:00:00")
    world.venue(2)
    async with resy_rig(dsn, clock, world, record_dir=str(tmp_path)) as made:
        await made.poll()
        world.opens(1, f"{DAY} 21:00:00")
        world.opens(2, f"{DAY} 20:00:00")
        await made.step()
        assert len(await made.openings()) == 1
    assert [len(row["events"]) for row in await replayed(tmp_path)] == [0, 1]
    assert [len(row["events"]) for row in await replayed(tmp_path, "--policy", "open_rule=each")] == [0, 2]
    (file,), config = _recordings(tmp_path), tmp_path / "dibs.toml"
    code, text = await dibs("replay", str(file), config=config)
    assert text.splitlines()[-1] == "resy: 2 looks of 1 watches would have emitted 1 Open"
    code, text = await dibs("replay", str(file), "--policy", "open_rule=some", config=config)
    assert code == 1
    other = tmp_path / "notes.txt"
    other.write_text("nothing of the kind", encoding="utf-8")
    code, text = await dibs("replay", str(other), config=config)
    assert (code, "not a recording" in text) == (1, True)


async def test_looks_that_showed_nothing_new_count_under_another_policy_too(dsn: str, clock: FakeClock, tmp_path: Path):
    """One miss closed it then; two would have, because the answer without it came again, unchanged."""
    world = SocWorld()
    world.opens("92025", "NB", "00001")
    world.opens("92025", "NB", "00002")
    async with soc_rig(dsn, clock, world, record_dir=str(tmp_path), policy=Policy()) as made:
        await made.poll()
        world.closes("92025", "NB", "00001")
        for _ in range(3):
            await made.step()
    gone = ("92025|NB|00001", "Closed")
    assert emitted(await replayed(tmp_path, "--policy", "misses_to_close=1")) == [gone]
    rows = await replayed(tmp_path, "--policy", "misses_to_close=2")
    assert emitted(rows) == [gone]
    assert len([row for row in rows if row["outcome"] == "changed"]) == 2
    assert emitted(await replayed(tmp_path, "--policy", "misses_to_close=4")) == []


async def test_a_day_can_be_replayed_without_the_day_before(dsn: str, clock: FakeClock, tmp_path: Path):
    world = SocWorld()
    world.opens("92025", "NB", "00001")
    async with soc_rig(dsn, clock, world, record_dir=str(tmp_path)) as made:
        await made.poll()
        await made.step(86_400)
        world.opens("92025", "NB", "00002")
        await made.step()
    first, second = sorted(_recordings(tmp_path))
    first.unlink()
    assert emitted(await replayed(second.parent)) == [("92025|NB|00002", "Open")]


async def test_overlapping_watches_are_replayed_as_one_past(dsn: str, clock: FakeClock, tmp_path: Path):
    world = ResyWorld()
    world.opens(9, f"{DAY} 17:45:00")
    async with resy_rig(dsn, clock, world, time_slots=("15:00", "20:30"), record_dir=str(tmp_path)) as made:
        await made.poll()
        world.opens(1, f"{DAY} 17:45:00")
        await made.step()
        world.closes(1, f"{DAY} 17:45:00")
        await made.step()
        real = [(event.slot_key, event.status_after) for event in await made.events()]
    assert len(real) == 2
    assert emitted(await replayed(tmp_path)) == real


async def test_what_cannot_be_recorded_is_detected_all_the_same(dsn: str, clock: FakeClock, tmp_path: Path):
    world = ResyWorld()
    world.opens(9, f"{DAY} 20:00:00")
    in_the_way = tmp_path / "records"
    in_the_way.write_text("a file where the folder should be", encoding="utf-8")
    async with resy_rig(dsn, clock, world, record_dir=str(in_the_way)) as made:
        await made.poll()
        world.opens(1, f"{DAY} 20:00:00")
        await made.step()
        assert await made.openings() == [f"1|{DAY} 20:00:00"]


def _recordings(folder: Path) -> list[Path]:
    return list(folder.glob("*.jsonl.gz"))
