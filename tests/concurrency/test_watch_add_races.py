"""Several people add the same watch at once: one watch, and nobody is refused."""

from __future__ import annotations

import asyncio

import pytest

from dibs.config import Config
from dibs.parts import Parts
from wanted_harness import wanted_config

ROUNDS = 40
PEOPLE = 8


@pytest.fixture
def config() -> Config:
    return wanted_config()


async def test_the_same_watch_added_by_many_at_once(parts: Parts) -> None:
    for number in range(ROUNDS):
        query = {"date": f"2026-04-{number % 28 + 1:02}", "time_slot": f"{number % 24:02}:00"}
        made = await asyncio.gather(*(parts.watches.add("resy", query) for _ in range(PEOPLE)))
        assert len({watch.key for watch, _ in made}) == 1
        assert sum(created for _, created in made) == 1
