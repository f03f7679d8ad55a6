"""The trace of an opening: seen, told, held, got."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from typer.testing import CliRunner

from api_client import calling
from dibs.cli.main import app
from dibs.clock import FakeClock
from dibs.parts import Parts
from line_harness import open_line
from notify_harness import close_slots, open_slots, rig


async def test_an_opening_that_was_told_and_closed(parts: Parts, clock: FakeClock) -> None:
    made = rig(parts)
    vars(parts)["notify"] = made.notify
    await made.subscribe("https://a.example/")
    (event_id,) = await open_slots(parts, "1")
    clock.advance(2)
    await made.tell()
    clock.advance(60)
    await close_slots(parts, "1")
    trace = await parts.tracer.trace(event_id)
    assert [step.stage for step in trace.steps] == ["openings", "notify", "notify", "openings"]
    assert "Closed → Open" in trace.steps[0].what
    assert trace.steps[0].reason == "test"
    assert trace.steps[1].what == "1 to be told, 0 skipped"
    assert trace.steps[2].what.endswith("sent")
    assert trace.steps[-1].what.startswith("gone")
    times = [step.at for step in trace.steps]
    assert times == sorted(times)


async def test_an_offer_shows_who_held_it_and_who_got_it(parts: Parts) -> None:
    line = await open_line(parts)
    await line.join("ann")
    await line.turn()
    offer = await parts.claim.claim(line.token_of("ann"))
    assert offer.open_event_id
    trace = await parts.tracer.trace(offer.open_event_id)
    said = [step.what for step in trace.steps if step.stage == "offers"]
    assert "was offered A1" in said[0]
    assert "it is theirs" in said[1]
    async with calling(parts, "read") as reader, calling(parts, None) as stranger:
        shown: dict[str, Any] = (await reader.get(f"/api/openings/{offer.open_event_id}/trace")).json()
        assert (await stranger.get(f"/api/openings/{offer.open_event_id}/trace")).status_code == 401
    assert [step["stage"] for step in shown["steps"]] == [step.stage for step in trace.steps]
    assert datetime.fromisoformat(shown["steps"][0]["at"])


@pytest.mark.parametrize("number", ["999", "-1", "x", "99999999999999999999"])
async def test_an_unknown_opening_is_a_clear_error(parts: Parts, number: str) -> None:
    async with calling(parts, "read") as reader:
        answer = await reader.get(f"/api/openings/{number}/trace")
    assert answer.status_code in {404, 422}


def test_the_command_line_prints_the_same(dsn: str) -> None:
    missing = CliRunner().invoke(app, ["trace", "7"], env={"DIBS_DATABASE__URL": dsn, "COLUMNS": "200"})
    assert missing.exit_code == 1
    assert "no opening 7" in missing.output


def test_the_line_on_the_command_line(dsn: str) -> None:
    environment = {"DIBS_DATABASE__URL": dsn, "COLUMNS": "200"}
    assert CliRunner().invoke(app, ["line", "list", "nowhere"], env=environment).exit_code == 1
    assert CliRunner().invoke(app, ["line", "move", "5", "1"], env=environment).exit_code == 1
    assert CliRunner().invoke(app, ["line", "move", "5", "0"], env=environment).exit_code == 2
