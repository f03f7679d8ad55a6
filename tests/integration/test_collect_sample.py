"""Sampling a community's activity from its newest posts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from collect_harness import Outside, lead_outside, outside_world
from demand_harness import AUSTIN
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.errors import Unavailable
from dibs.parts import Parts
from dibs.sim.trouble import HTML, Trouble


@pytest.fixture
async def outside(clock: FakeClock) -> AsyncIterator[Outside]:
    async with outside_world(clock) as outside:
        outside.reddit.found("austinfood")
        yield outside


@pytest.fixture
def config(outside: Outside) -> Config:
    return outside.config


@pytest.fixture
async def austin(parts: Parts, outside: Outside, clock: FakeClock) -> None:
    lead_outside(parts, outside, clock)
    await parts.communities.put("austinfood", AUSTIN, posts_per_day=3)


def write(outside: Outside, count: int, every: timedelta) -> None:
    for number in range(count):
        outside.reddit.post("austinfood", f"post {number}", age=every * (number + 1))


@pytest.mark.usefixtures("austin")
async def test_a_busy_community_is_measured_over_its_newest_thousand(
    parts: Parts, outside: Outside, clock: FakeClock
) -> None:
    write(outside, 1100, timedelta(minutes=10))  # 144 a day
    assert await parts.sampler.run_once() == 0
    found = await parts.communities.get("austinfood")
    assert found.posts_per_day == pytest.approx(144, rel=0.02)
    assert found.safe_interval_days == 7
    assert found.activity_from == "sample"
    assert len(outside.reddit.asked) == 10
    assert await parts.sampler.run_once() > 0


@pytest.mark.usefixtures("austin")
async def test_a_quiet_community_is_measured_over_thirty_days(parts: Parts, outside: Outside) -> None:
    write(outside, 200, timedelta(hours=12))  # 100 days back, 2 a day
    await parts.sampler.run_once()
    found = await parts.communities.get("austinfood")
    assert found.posts_per_day == pytest.approx(2, rel=0.05)
    assert found.safe_interval_days == 60
    assert len(outside.reddit.asked) == 1


@pytest.mark.usefixtures("austin")
async def test_it_is_sampled_again_after_a_month(parts: Parts, outside: Outside, clock: FakeClock) -> None:
    await parts.sampler.run_once()
    clock.advance(29 * 86400)
    assert await parts.sampler.run_once() > 0
    clock.advance(2 * 86400)
    assert await parts.sampler.run_once() == 0
    assert len(outside.reddit.asked) == 2


@pytest.mark.usefixtures("austin")
@pytest.mark.parametrize("trouble", [Trouble(500), HTML, Trouble(404, b"{}"), Trouble(429, b"{}")])
async def test_a_failed_sample_changes_nothing_but_when_it_is_tried_again(
    parts: Parts, outside: Outside, clock: FakeClock, trouble: Trouble
) -> None:
    outside.reddit.troubles.always(trouble, where="/new")
    await parts.sampler.run_once()
    found = await parts.communities.get("austinfood")
    assert (found.posts_per_day, found.activity_from) == (3, "hand")
    assert found.sample_error
    assert found.due_at
    assert found.due_at - clock.now() <= timedelta(minutes=5)
    outside.reddit.troubles.over()
    clock.advance(3600)
    await parts.sampler.run_once()
    assert (await parts.communities.get("austinfood")).activity_from == "sample"


@pytest.mark.usefixtures("austin")
async def test_by_hand(parts: Parts, outside: Outside) -> None:
    write(outside, 30, timedelta(hours=24))
    assert await parts.sampler.now("austinfood") == 60
    outside.reddit.troubles.always(Trouble(500))
    with pytest.raises(Unavailable, match="http_500"):
        await parts.sampler.now("austinfood")
