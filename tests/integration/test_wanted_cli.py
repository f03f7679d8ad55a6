"""`dibs demand watch`, `unwatch` and `wanted` on a database of the test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dibs.app import parts_on
from dibs.cli.main import app
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.places.model import EntityType
from wanted_harness import Scene, make_scene

FILE = """
[providers.resy]
kind = "resy"
bounding_box = [30.1, -97.9, 30.5, -97.5]
time_slots = ["20:30"]
[wanted]
days_ahead = 2
"""


@pytest.fixture
def dibs(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Result]:
    """Runs a command of the program on the test's database."""
    file = tmp_path_factory.mktemp("config") / "dibs.toml"
    file.write_text(FILE)

    def run(*arguments: str) -> Result:
        env = {"DIBS_DATABASE__URL": dsn, "DIBS_CONFIG": str(file), "COLUMNS": "250"}
        return CliRunner().invoke(app, list(arguments), env=env)

    return run


def prepare(dsn: str, clock: FakeClock, work: Callable[[Scene], Coroutine[Any, Any, list[int]]]) -> list[str]:
    """Does the work, and gives the ids of its requests as one types them."""

    async def run() -> list[int]:
        async with parts_on(dsn, Config(), clock) as parts:
            return await work(await make_scene(parts))

    return [str(request_id) for request_id in asyncio.run(run())]


def test_watch_list_and_stop(dibs: Callable[..., Result], dsn: str, clock: FakeClock) -> None:
    async def work(scene: Scene) -> list[int]:
        await scene.known("resy", "1", "Uchi")
        await scene.known("resy", "2", "Lucia")
        await scene.known("resy", "3", "Lucia")
        return [
            await scene.looked_for("Uchi", 3),
            await scene.looked_for("Lucia"),
            await scene.looked_for("tacos", kind=EntityType.FOOD),
        ]

    uchi, lucia, tacos = prepare(dsn, clock, work)
    watched = dibs("demand", "watch", uchi)
    assert watched.exit_code == 0, watched.output
    assert "“Uchi” is watched: Uchi at resy (nobody asked yet)." in watched.output
    assert "is watched already" in dibs("demand", "watch", uchi).output
    several = dibs("demand", "watch", lucia)
    assert several.exit_code == 1
    assert "Lucia (resy 2), Lucia (resy 3)" in several.output.replace("\n", " ")
    named = dibs("demand", "watch", lucia, "--provider", "resy", "--group", "3")
    assert named.exit_code == 0, named.output
    listed = json.loads(dibs("demand", "wanted", "--json").output)
    assert [(one["request_id"], one["status"], one["group_key"]) for one in listed] == [
        (int(lucia), "watched", "3"),
        (int(uchi), "watched", "1"),
    ]
    assert "Uchi" in dibs("demand", "wanted").output
    assert "is not watched any more" in dibs("demand", "unwatch", uchi).output
    stopped = json.loads(dibs("demand", "wanted", "--status", "stopped", "--json").output)
    assert [one["request_id"] for one in stopped] == [int(uchi)]
    food = dibs("demand", "watch", tacos)
    assert (food.exit_code, "is a food" in food.output) == (1, True)


MISTAKES = [
    ("demand", "watch", "7"),
    ("demand", "watch", "0"),
    ("demand", "watch", "x"),
    ("demand", "watch", "1"),
    ("demand", "watch", "1", "--provider", "resy"),
    ("demand", "watch", "1", "--provider", "resy", "--group", "9"),
    ("demand", "unwatch", "7"),
    ("demand", "unwatch", "1"),
    ("demand", "wanted", "--status", "gone"),
    ("demand", "wanted", "--limit", "501"),
]


def test_a_mistake_is_one_sentence_and_no_traceback(dibs: Callable[..., Result], dsn: str, clock: FakeClock) -> None:
    async def work(scene: Scene) -> list[int]:
        return [await scene.looked_for("Nobody knows")]

    prepare(dsn, clock, work)
    for arguments in MISTAKES:
        refused = dibs(*arguments)
        assert refused.exit_code in {1, 2}, arguments
        assert "Traceback" not in refused.output
        assert isinstance(refused.exception, SystemExit)
