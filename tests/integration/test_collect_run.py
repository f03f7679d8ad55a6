"""A run from its claim to its end: the plan of sorts, comments, leases, progress, what is left over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs

from collect_harness import Outside, lead_outside, only_request, outside_world, time_passes
from demand_harness import World, query
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.db import fetch_all
from dibs.demand.collect import Collector
from dibs.demand.extract import DeterministicExtractor, Finding, Vocabulary
from dibs.demand.model import Outcome, Progress, Stage, Status
from dibs.demand.process import Processor, Wish
from dibs.parts import Parts
from dibs.places.model import EntityType, Post
from dibs.sim.trouble import HTML, Trouble
from dibs.sources.reddit import RedditSource

LORO = [("Loro", "restaurant")]


@pytest.fixture
async def outside(clock: FakeClock) -> AsyncIterator[Outside]:
    async with outside_world(clock) as outside:
        outside.reddit.found("austinfood")
        yield outside


@pytest.fixture
def config(outside: Outside) -> Config:
    return outside.config


@pytest.fixture
async def world(parts: Parts, outside: Outside, clock: FakeClock) -> World:
    lead_outside(parts, outside, clock)
    made = World(parts)
    await made.cities()
    await parts.search(query(terms=LORO))
    return made


async def rows(parts: Parts, statement: bytes) -> list[dict[str, Any]]:
    async with parts.db.connection() as connection:
        return await fetch_all(connection, statement)


async def mentions(parts: Parts) -> list[dict[str, Any]]:
    return await rows(
        parts,
        b"SELECT source_id, restaurant.name AS restaurant, subject.name AS subject FROM mention "
        b"JOIN entity AS restaurant ON restaurant.entity_id = restaurant_id "
        b"LEFT JOIN entity AS subject ON subject.entity_id = subject_id ORDER BY 1, 2, 3",
    )


async def test_the_search_step_is_posts_only_and_each_post_is_loaded_once(
    parts: Parts, world: World, outside: Outside
) -> None:
    for number in range(3):
        outside.reddit.post("austinfood", f"Loro {number}", comments=["yes"])
    await parts.collector.run_once()
    paths = [asked.path for asked in outside.reddit.asked]
    searches = [path for path in paths if path.endswith("/search")]
    assert paths[: len(searches)] == searches
    assert [asked.query["sort"] for asked in outside.reddit.asked[: len(searches)]] == ["new", "relevance", "top"]
    loaded = [path for path in paths if "/comments/" in path]
    assert len(loaded) == len(set(loaded)) == 3


async def test_the_first_run_looks_back_a_year_and_the_next_only_at_what_is_new(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.reddit.post("austinfood", "Loro")
    await parts.collector.run_once()
    first = await only_request(parts)
    assert [(one["sort"], one["time_filter"], one["posts"]) for one in first.attempted] == [
        ("new", None, 1),
        ("relevance", "year", 1),
        ("top", "year", 1),
    ]
    assert set(first.sort_history) == {"new", "relevance", "top"}
    assert first.due_at
    clock.set(first.due_at)
    await parts.collector.run_once()
    second = await only_request(parts)
    assert [one["sort"] for one in second.attempted] == ["new"]
    assert second.sort_history["top"] == first.sort_history["top"]


async def test_a_refresh_of_a_month_that_gives_too_little_widens_to_a_year(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    # 100 posts a day: the safe interval is 7.5 days, so a refresh looks at a month.
    await parts.communities.put("austinfood", (await parts.communities.get("austinfood")).center, posts_per_day=100)
    outside.reddit.post("austinfood", "Loro", age=timedelta(days=40))
    await parts.collector.run_once()
    clock.advance(61 * 86400)
    await parts.collector.run_once()
    request = await only_request(parts)
    assert [(one["sort"], one["time_filter"]) for one in request.attempted] == [
        ("new", None),
        ("relevance", "month"),
        ("relevance", "year"),
        ("top", "month"),
        ("top", "year"),
    ]


async def test_every_page_of_a_search_is_read(parts: Parts, world: World, outside: Outside) -> None:
    for number in range(230):
        outside.reddit.post("austinfood", f"Loro {number}", age=timedelta(hours=number + 1))
    await parts.collector.run_once()
    request = await only_request(parts)
    assert request.posts_found == 230
    assert [one["posts"] for one in request.attempted] == [230, 230, 230]
    assert request.batches_total == request.batches_done == 10


async def test_nested_replies_and_more_nodes_are_read_up_to_the_limit(
    parts: Parts, world: World, outside: Outside
) -> None:
    outside.reddit.first_comments = 2
    outside.reddit.post(
        "austinfood", "Loro?", comments=[("a", [("b", ["Loro nested"])]), ("c", ["Loro hidden"]), "Loro last"]
    )
    await parts.collector.run_once()
    stored = await rows(parts, b"SELECT body FROM community_comment ORDER BY body")
    assert [row["body"] for row in stored] == ["Loro hidden", "Loro last", "Loro nested", "a", "b", "c"]
    assert len(await mentions(parts)) == 4


async def test_a_failure_in_the_middle_keeps_what_was_found_and_the_sort_stays_due(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.reddit.post("austinfood", "Loro", comments=["Loro!"])
    # token, new and relevance are answered; top is not.
    fine = outside.reddit.troubles

    class OnlyTop(type(fine)):
        def meet(self, path: str) -> Trouble | None:
            if not path.endswith("/search"):
                return None
            return HTML if outside.reddit.asked[-1].query["sort"] == "top" else None

    outside.reddit.troubles = OnlyTop()
    await parts.collector.run_once()
    failed = await only_request(parts)
    assert (failed.last_outcome, failed.status) == (Outcome.ERROR, Status.PENDING)
    assert set(failed.sort_history) == {"new", "relevance"}
    assert len(await mentions(parts)) == 2

    outside.reddit.troubles = fine
    assert failed.due_at
    clock.set(failed.due_at)
    await parts.collector.run_once()
    mended = await only_request(parts)
    assert [one["sort"] for one in mended.attempted] == ["new", "top"]
    assert (mended.last_outcome, mended.error) == (Outcome.SUCCESS, None)


async def test_posts_whose_comments_could_not_be_loaded_are_read_by_the_next_run(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.reddit.post("austinfood", "Loro", comments=["Loro!"])
    outside.reddit.troubles.always(Trouble(500), where="/comments/")
    await parts.collector.run_once()
    assert (await only_request(parts)).last_outcome is not Outcome.SUCCESS
    assert await mentions(parts) == []
    outside.reddit.troubles.over()
    outside.reddit.communities["austinfood"][0].title = "No longer found by search"
    clock.advance(3600)
    await parts.collector.run_once()
    assert len(await mentions(parts)) == 2
    assert await rows(parts, b"SELECT 1 FROM community_post WHERE processed_at IS NULL") == []


async def test_a_deleted_post_does_not_stop_the_run(parts: Parts, world: World, outside: Outside) -> None:
    outside.reddit.post("austinfood", "Loro")
    outside.reddit.troubles.always(Trouble(404, b"{}"), where="/comments/")
    await parts.collector.run_once()
    assert (await only_request(parts)).last_outcome == Outcome.SUCCESS


async def test_a_dead_worker_strands_nothing(parts: Parts, world: World, outside: Outside, clock: FakeClock) -> None:
    outside.reddit.post("austinfood", "Loro")
    [dead] = await parts.collection_queue.claim()
    assert await parts.collector.run_once() > 0
    clock.advance(121)
    await parts.collector.run_once()
    assert (await only_request(parts)).last_outcome == Outcome.SUCCESS
    # The one that was thought dead comes back too late: it stops and writes nothing.
    before = await rows(parts, b"SELECT * FROM collection_run")
    assert await parts.collector.run(dead) is None
    assert await rows(parts, b"SELECT * FROM collection_run") == before


async def test_progress_is_visible_while_it_runs(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    for number in range(30):
        outside.reddit.post("austinfood", f"Loro {number}", comments=["yes"])
    seen: list[Progress] = []
    passes = time_passes(clock)

    async def sleep(seconds: float) -> None:
        request = await only_request(parts)
        assert request.stage
        seen.append(Progress(Stage(request.stage), request.posts_found, request.batches_total, request.batches_done))
        await passes(seconds)

    parts.reddit = RedditSource(outside.config.collect.reddit, parts.client, parts.db, clock, sleep)
    collector = Collector(parts.db, clock, parts.collection_queue, parts.reddit, outside.config.collect)
    await collector.run_once()
    assert {one.stage for one in seen} >= {Stage.SEARCHING, Stage.LOADING}
    assert any(one.stage is Stage.SEARCHING and one.posts_found == 30 for one in seen)
    assert any((one.batches_total, one.batches_done) == (2, 1) for one in seen)
    done = await only_request(parts)
    assert (done.stage, done.batches_done, done.mentions_found) == (None, 2, 30)


async def test_reprocessing_changes_nothing(parts: Parts, world: World, outside: Outside, clock: FakeClock) -> None:
    await world.entity("food", "brisket")
    outside.reddit.post(
        "austinfood", "Loro for brisket?", comments=["Loro, and at Odd Duck too", "try Odd Duck", "brisket", "odd duck"]
    )
    await parts.collector.run_once()
    first = await mentions(parts)
    counters = await rows(parts, b"SELECT name, mention_count, mention_score FROM entity ORDER BY name")
    assert {row["restaurant"] for row in first} == {"Loro", "Odd Duck"}
    assert {row["subject"] for row in first} == {None, "brisket"}
    request = await only_request(parts)
    for _ in range(2):
        await parts.collection_requests.run(request.request_id)
        await parts.collector.run_once()
        assert await mentions(parts) == first
        assert await rows(parts, b"SELECT name, mention_count, mention_score FROM entity ORDER BY name") == counters


async def test_a_post_that_was_read_for_another_term_is_read_again_without_loading(
    parts: Parts, world: World, outside: Outside
) -> None:
    outside.reddit.post("austinfood", "Loro has birria", comments=["the birria at Loro"])
    await parts.collector.run_once()
    loaded = [asked for asked in outside.reddit.asked if "/comments/" in asked.path]
    await parts.search(query(terms=[("birria", "food")]))
    await parts.collector.run_once()
    assert [asked for asked in outside.reddit.asked if "/comments/" in asked.path] == loaded
    assert {(row["restaurant"], row["subject"]) for row in await mentions(parts)} == {
        ("Loro", None),
        ("Loro", "birria"),
    }


async def test_the_source_community_is_the_location_key_and_guesses_stay_hidden(
    parts: Parts, world: World, outside: Outside
) -> None:
    outside.reddit.post("austinfood", "Loro", comments=["We went to Odd Duck instead"])
    await parts.collector.run_once()
    found = await rows(parts, b"SELECT name, location_key, status FROM entity ORDER BY name")
    assert found == [
        {"name": "Loro", "location_key": "austinfood", "status": "known"},
        {"name": "Odd Duck", "location_key": "austinfood", "status": "candidate"},
    ]


async def test_a_run_makes_no_more_guesses_than_it_may(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    comments = [f"try Place{chr(65 + number)}x" for number in range(20)] + ["try PlaceTx"] * 3
    outside.reddit.post("austinfood", "Loro", comments=comments)
    few = structs.replace(outside.config.collect, candidates_per_run=5)
    await Collector(parts.db, clock, parts.collection_queue, parts.reddit, few).run_once()
    guesses = await rows(parts, b"SELECT name FROM entity WHERE status = 'candidate'")
    assert len(guesses) == 5
    assert {"name": "PlaceTx"} in guesses


async def test_a_rejected_guess_is_not_made_again_and_takes_nobodys_place(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.reddit.post("austinfood", "Loro", comments=["try Nonsense Street"] * 3 + ["try Odd Duck"])
    few = structs.replace(outside.config.collect, candidates_per_run=1)
    collector = Collector(parts.db, clock, parts.collection_queue, parts.reddit, few)
    await collector.run_once()
    while not await parts.enricher.run_once():
        pass
    guessed = b"SELECT name, status FROM entity WHERE name <> 'Loro' ORDER BY name"
    assert await rows(parts, guessed) == [{"name": "Nonsense Street", "status": "rejected"}]
    await parts.collection_requests.run((await only_request(parts)).request_id)
    await collector.run_once()
    assert await rows(parts, guessed) == [
        {"name": "Nonsense Street", "status": "rejected"},
        {"name": "Odd Duck", "status": "candidate"},
    ]
    assert {row["restaurant"] for row in await mentions(parts)} >= {"Loro", "Odd Duck"}


async def test_an_everyday_word_is_a_name_only_as_written_and_waits_for_places(
    parts: Parts, world: World, outside: Outside
) -> None:
    await parts.collector.run_once()
    outside.reddit.post("austinfood", "Eating at home", "no home cooking tonight")
    await parts.search(query(terms=[("home", "restaurant")]))
    await parts.collector.run_once()
    assert await rows(parts, b"SELECT name FROM entity") == []
    written = outside.reddit.post("austinfood", "A new place called Home", "eat at home or at Home")
    [request] = [one for one in await parts.collection_requests.list(limit=9) if one.term == "home"]
    await parts.collection_requests.run(request.request_id)
    await parts.collector.run_once()
    assert await rows(parts, b"SELECT name, status FROM entity") == [{"name": "Home", "status": "candidate"}]
    assert [row["source_id"] for row in await mentions(parts)] == [f"t3_{written.id}"]


class Broken(DeterministicExtractor):
    def extract(self, texts: Sequence[str], vocabulary: Vocabulary, term: str = "") -> list[Finding]:
        raise ZeroDivisionError(f"a plug-in of others, on {len(texts)} texts with {vocabulary} for {term}")


async def test_an_extractor_that_breaks_is_an_error_of_the_run(
    parts: Parts, world: World, outside: Outside, clock: FakeClock
) -> None:
    outside.reddit.post("austinfood", "Loro")
    collector = parts.collector
    collector._extractor = Broken()
    await collector.run_once()
    request = await only_request(parts)
    assert (request.last_outcome, request.error) == (Outcome.ERROR, "broke: ZeroDivisionError")


async def test_the_bias_of_the_request_goes_with_its_restaurants(parts: Parts, world: World, outside: Outside) -> None:
    outside.reddit.post("austinfood", "Loro")
    await parts.collector.run_once()
    [enrichment] = await rows(parts, b"SELECT status, bias_lat, due_at IS NOT NULL AS due FROM entity_enrichment")
    assert (enrichment["status"], enrichment["due"]) == ("waiting", True)
    assert enrichment["bias_lat"] == pytest.approx(30.2672)


async def test_without_credentials_requests_wait(parts: Parts, world: World, clock: FakeClock) -> None:
    parts.reddit = RedditSource(Config().collect.reddit, parts.client, parts.db, clock)
    assert await parts.collector.run_once() > 0
    assert (await only_request(parts)).status == Status.QUEUED


async def test_processing_of_no_posts_is_nothing(parts: Parts, world: World, clock: FakeClock) -> None:
    wish = Wish("x y", EntityType.FOOD, "austinfood")
    processor = Processor(parts.db, clock, DeterministicExtractor(), wish, extractor_name="deterministic", candidates=5)
    empty = await processor.process([], [])
    assert (empty.mentions, empty.new_entities) == (0, 0)
    post = Post("t3_zz", "austinfood", "", "", "", 1, 0, clock.now())
    assert (await processor.process([replace(post)], [])).mentions == 0
