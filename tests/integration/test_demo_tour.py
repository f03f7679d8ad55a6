"""The demo's tour: each of its five steps really happens. No loop runs beside these tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.parts import Parts
from dibs.sim.demo import Town
from dibs.sim.demo.places import RESTAURANT, RESTAURANT_NAME
from dibs.sim.demo.tour import PARTY, Tour

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def parts(dsn: str, tmp_path: Path) -> AsyncIterator[Parts]:
    town = Town(3)
    async with (
        town.serving(tmp_path, host="127.0.0.1", port=0) as config,
        parts_on(dsn, config, SystemClock()) as parts,
    ):
        await town.furnish(parts)
        yield parts


@pytest.fixture
def tour(parts: Parts) -> Tour:
    return Tour(parts, "http://127.0.0.1:9/you")


async def test_a_visitor_waits_is_offered_and_claims(parts: Parts, tour: Tour) -> None:
    shown = await tour.stand_in_line()
    assert shown.startswith(f"/line?restaurant={RESTAURANT}&day=")
    (place,) = await parts.line.list_places(restaurant=RESTAURANT)
    assert (place.party_size, place.status) == (PARTY, "waiting")
    # There is no room for them yet, though somebody looks.
    await parts.usher.run_once()
    assert (await parts.line.get(place.place_id)).status == "waiting"
    claim = await tour.claim()
    token = parse_qs(urlsplit(claim).query)["token"][0]
    assert await tour.claim() == claim, "what is kept already is shown again"
    assert (await parts.claim.claim(token)).status == "claimed"
    assert (await parts.line.get(place.place_id)).status == "served"


async def test_the_last_step_works_without_the_one_before_and_again(parts: Parts, tour: Tour) -> None:
    seen: set[str] = set()
    for _ in range(2):
        token = parse_qs(urlsplit(await tour.claim()).query)["token"][0]
        assert (await parts.claim.claim(token)).status == "claimed"
        seen.add(token)
    assert len(seen) == 2


async def test_the_other_steps_lead_to_what_they_did(parts: Parts, tour: Tour) -> None:
    assert [step.title[:5] for step in tour.steps()] == ["Watch", "Be to", "Searc", "Take ", "A tab"]
    assert await tour.watch() == "/openings"
    await tour.subscribe()
    assert (await tour.subscribe()).startswith("/openings")
    assert (await tour.search()).startswith("/demand?at=")
    assert (await tour.search()).startswith("/demand?at=")
    (made,) = await parts.notify.manage.list(topic="watch:camps:yosemite_2031-07")
    assert made.channel == "webhook"
    assert RESTAURANT_NAME.lower() in {one.term.lower() for one in await parts.collection_requests.list(limit=10)}
