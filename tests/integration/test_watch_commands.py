"""`dibs watch`, `dibs feed` and `dibs replay`, as one calls them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from typer.testing import CliRunner

from dibs.cli.main import app
from dibs.clock import FakeClock
from dibs.sim.json_world import SLOTS, JsonWorld, provider_url
from dibs.sim.resy_world import ResyWorld
from watch_harness import DAY, resy_rig


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
    (file,) = _recordings(tmp_path)
    config = tmp_path / "dibs.toml"
    config.write_text("", encoding="utf-8")
    code, text = await dibs("replay", str(file), "--json", config=config)
    assert code == 0, text
    assert [len(row["events"]) for row in map(json.loads, text.splitlines())] == [0, 1]
    code, text = await dibs("replay", str(file), "--policy", "open_rule=each", "--json", config=config)
    assert [len(row["events"]) for row in map(json.loads, text.splitlines())] == [0, 2]
    code, text = await dibs("replay", str(file), "--policy", "open_rule=some", config=config)
    assert code == 1
    other = tmp_path / "notes.txt"
    other.write_text("nothing of the kind", encoding="utf-8")
    code, text = await dibs("replay", str(other), config=config)
    assert (code, "not a recording" in text) == (1, True)


def _recordings(folder: Path) -> list[Path]:
    return list(folder.glob("*.jsonl.gz"))
