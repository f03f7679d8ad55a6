"""One suite for every provider: whoever joins `CASES` has to behave like the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from dibs.errors import Invalid
from dibs.sim.faults import Fault as Upset
from dibs.sim.faults import Faults
from dibs.sim.json_world import JsonWorld
from dibs.sim.resy_world import ResyWorld
from dibs.sim.server import SimServer
from dibs.sim.soc_world import SocWorld
from dibs.sources import Answer, Client, Failure, Fault, Observation, Request, Source, build_source, open_client
from dibs.sources.http import Response
from dibs.sources.model import Target, Validators
from watch_harness import DAY, json_provider, resy_provider, soc_provider

World = JsonWorld | ResyWorld | SocWorld


@dataclass(frozen=True)
class Case:
    """What the suite has to know of a provider."""

    kind: str
    make_world: Callable[[], World]
    make_source: Callable[[SimServer], Source]
    query: dict[str, Any]
    bucket_id: str
    bad_queries: list[tuple[dict[str, Any], str]]
    keys: frozenset[str]
    opens_another: Callable[[Any], str]


def json_world() -> JsonWorld:
    world = JsonWorld()
    world.opens("p", "A1")
    world.opens("p", "B2")
    return world


def json_opens(world: JsonWorld) -> str:
    world.opens("p", "C3")
    return "C3|2026-07-09"


def soc_world() -> SocWorld:
    world = SocWorld()
    world.opens("92025", "NB", "00001")
    world.opens("92025", "NB", "00002")
    return world


def soc_opens(world: SocWorld) -> str:
    world.opens("92025", "NB", "00003")
    return "92025|NB|00003"


def resy_world() -> ResyWorld:
    world = ResyWorld()
    world.opens(1, f"{DAY} 20:00:00")
    world.opens(2, f"{DAY} 20:00:00", (4,))
    world.venue(3)
    return world


def resy_opens(world: ResyWorld) -> str:
    world.opens(3, f"{DAY} 21:00:00")
    return f"3|{DAY} 21:00:00"


CASES = [
    Case(
        "json",
        json_world,
        lambda server: build_source("camps", json_provider(server)),
        {"park": "p", "month": "2026-07"},
        "p_2026-07",
        [({}, "park"), ({"park": "p", "month": ""}, "month"), ({"park": "p", "month": "m", "x": 1}, "x")],
        frozenset({"A1|2026-07-23", "B2|2026-07-27"}),
        json_opens,
    ),
    Case(
        "soc",
        soc_world,
        lambda server: build_source("soc", soc_provider(server)),
        {"term": "FA2025", "campus": "NB"},
        "92025:NB",
        [
            ({"term": "32025", "campus": "NB"}, "term"),
            ({"term": "92025"}, "campus"),
            ({"term": "92025", "campus": "N B"}, "campus"),
            ({"term": "92025", "campus": "NB", "year": 1}, "year"),
        ],
        frozenset({"92025|NB|00001", "92025|NB|00002"}),
        soc_opens,
    ),
    Case(
        "resy",
        resy_world,
        lambda server: build_source("resy", resy_provider(server)),
        {"date": DAY, "time_slot": "20:30"},
        f"{DAY}_20:30",
        [
            ({"date": "2026-02-30", "time_slot": "20:30"}, "date"),
            ({"date": DAY, "time_slot": "25:00"}, "time_slot"),
            ({"date": DAY, "time_slot": "20:30", "seats": 2}, "seats"),
        ],
        frozenset({f"1|{DAY} 20:00:00", f"2|{DAY} 20:00:00"}),
        resy_opens,
    ),
]


@pytest.fixture(params=CASES, ids=[case.kind for case in CASES])
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@dataclass
class Scene:
    """A source in front of its world."""

    case: Case
    world: Any
    source: Source
    client: Client
    server: SimServer

    @property
    def faults(self) -> Faults:
        return self.world.faults

    @property
    def target(self) -> Target:
        return self.source.target(self.case.query)

    async def look(self, validators: Validators | None = None, timeout_s: float = 5.0) -> Answer | Failure:
        async def ask(request: Request) -> Response | Failure:
            return await self.client.ask(request, timeout_s=timeout_s)

        return await self.source.look(ask, self.target, validators or Validators())

    async def observe(self, timeout_s: float = 5.0) -> Observation | Failure:
        answer = await self.look(timeout_s=timeout_s)
        return answer if isinstance(answer, Failure) else self.source.read(answer, self.target)


@asynccontextmanager
async def scene_of(case: Case) -> AsyncIterator[Scene]:
    world = case.make_world()
    async with world.serving() as server, open_client(allow_private=True) as client:
        yield Scene(case, world, case.make_source(server), client, server)


@pytest.fixture
async def scene(case: Case) -> AsyncIterator[Scene]:
    async with scene_of(case) as made:
        yield made


async def observed(scene: Scene) -> Observation:
    seen = await scene.observe()
    assert isinstance(seen, Observation), seen
    return seen


async def test_what_it_asks_for_is_what_it_takes(scene: Scene):
    assert set(scene.source.asks) == set(scene.case.query)
    assert scene.source.target(scene.source.asks).bucket_id


async def test_a_query_has_one_normal_form(scene: Scene):
    target = scene.target
    assert target.bucket_id == scene.case.bucket_id
    assert scene.source.target(target.query) == target


async def test_a_wrong_query_is_refused_by_the_name_of_its_field(scene: Scene):
    for query, field in scene.case.bad_queries:
        with pytest.raises(Invalid) as caught:
            scene.source.target(query)
        assert field in caught.value.detail
    for nonsense in (None, ["x"], True, {}):
        with pytest.raises(Invalid):
            scene.source.target(dict.fromkeys(scene.case.query, nonsense))


async def test_what_is_open_is_found(scene: Scene):
    seen = await observed(scene)
    assert set(seen.found) == scene.case.keys
    assert seen.complete
    assert seen.skipped == 0


async def test_a_slot_is_described_with_all_that_an_event_carries(scene: Scene):
    seen = await observed(scene)
    for key in seen.found:
        detail = seen.describe(key)
        assert detail.slot_key == key
        assert detail.group_key
        assert detail.subject == scene.source.subject(key)
        assert {"title", "starts_at", "url"} <= set(detail.payload)
        assert scene.source.named(key).subject == detail.subject


async def test_a_new_slot_appears_under_its_own_key(scene: Scene):
    key = scene.case.opens_another(scene.world)
    seen = await observed(scene)
    assert set(seen.found) == {*scene.case.keys, key}


async def test_the_same_answer_has_the_same_fingerprint(scene: Scene):
    scene.world.dice.shuffle = _in_order
    first, second = await scene.look(), await scene.look()
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert first.source_hash == second.source_hash
    scene.case.opens_another(scene.world)
    third = await scene.look()
    assert isinstance(third, Answer)
    assert third.source_hash != first.source_hash


def _in_order(items: list[str]) -> None:
    items.sort()


@pytest.mark.parametrize(
    ("upset", "fault"),
    [
        (Upset.HTML, Fault.TRANSIENT),
        (Upset.TRUNCATED, Fault.TRANSIENT),
        (Upset.GARBAGE, Fault.TRANSIENT),
        (Upset.SERVER_ERROR, Fault.TRANSIENT),
        (Upset.LIMITED, Fault.LIMITED),
        (Upset.NOT_FOUND, Fault.CONFIGURATION),
        (Upset.LOGIN, Fault.CONFIGURATION),
    ],
)
async def test_what_is_no_answer_is_a_failure(scene: Scene, upset: Upset, fault: Fault):
    scene.faults.always = upset
    scene.faults.retry_after_s = 30
    seen = await scene.observe()
    assert isinstance(seen, Failure), seen
    assert seen.fault is fault
    assert seen.reason
    assert seen.retry_after_s == (30 if upset in (Upset.LIMITED, Upset.SERVER_ERROR) else None)
    assert seen.releases_claims is (upset in (Upset.SERVER_ERROR, Upset.LIMITED))


async def test_a_slow_answer_is_a_failure(scene: Scene):
    scene.faults.always = Upset.SLOW
    scene.faults.slow_s = 30
    seen = await scene.observe(timeout_s=0.2)
    assert isinstance(seen, Failure)
    assert "timeout" in seen.reason


async def test_an_unreachable_provider_is_a_failure(scene: Scene):
    async def refused(request: Request) -> Response | Failure:
        moved = request.url.replace(scene.server.url, "http://127.0.0.1:9")
        return await scene.client.ask(Request(moved, request.method))

    result = await scene.source.look(refused, scene.target, Validators())
    assert isinstance(result, Failure)
    assert result.fault is Fault.TRANSIENT


async def test_a_bad_record_is_skipped_and_counted(scene: Scene):
    scene.faults.always = Upset.BAD_RECORD
    seen = await observed(scene)
    assert set(seen.found) == scene.case.keys
    assert seen.skipped > 0


@pytest.mark.parametrize("body", [b"", b"null", b"7", b'"x"', b"{}", b"[[[", b"\xff\xfe", b'{"search": {"hits": 3}}'])
async def test_no_document_makes_it_stumble(scene: Scene, body: bytes):
    labels = ("2/1",) if scene.case.kind == "resy" else ()
    seen = scene.source.read(Answer((body,), "", labels), scene.target)
    assert isinstance(seen, Failure)


async def test_a_key_that_cannot_be_one_is_refused(scene: Scene):
    for key in ("", "\x00"):
        with pytest.raises(Invalid):
            scene.source.named(key)
