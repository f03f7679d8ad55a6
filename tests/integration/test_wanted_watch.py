"""What people look for becomes a watch: by hand, by the rule, and for as long as it is wanted."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from dibs.app import parts_on
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.errors import Conflict, Invalid, NotFound
from dibs.parts import Parts
from dibs.places import entity_store
from dibs.places.model import EntityType, NewEntity
from dibs.signals.put import put_product
from dibs.sim.demo.places import PASSES, passes_plan
from dibs.wanted import Choice, store
from wanted_harness import Scene, make_scene, wanted_config

DAY = 86_400


@pytest.fixture
def config() -> Config:
    return wanted_config()


@pytest.fixture
async def scene(parts: Parts) -> Scene:
    return await make_scene(parts)


async def test_a_place_that_a_provider_knows_is_watched(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "834", "Uchi")
    request = await scene.looked_for("uchi")
    watched = await parts.wanted.watch.watch(request)
    assert watched.created
    assert (watched.place.status, watched.place.topic) == ("watched", "group:resy:834")
    assert (watched.place.watched_by, watched.place.verdict) == ("person", "matched")
    assert watched.sentence == "“uchi” is watched: Uchi at resy (nobody asked yet)."
    # Nothing looked at the provider: the coming week is watched now.
    keys = [f"resy:2026-03-{day:02}_20:30" for day in range(2, 9)]
    assert await scene.watch_keys() == keys


async def test_again_it_is_the_same_answer(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "834", "Uchi")
    request = await scene.looked_for("Uchi")
    await parts.wanted.watch.watch(request)
    again = await parts.wanted.watch.watch(request)
    assert not again.created
    assert "is watched already" in again.sentence
    assert (await parts.wanted.watch.watch(request, Choice("resy", "834"))).created is False
    await scene.known("resy", "7", "Other")
    with pytest.raises(Conflict) as refused:
        await parts.wanted.watch.watch(request, Choice("resy", "7"))
    assert refused.value.code == "already_watched"


async def test_a_watch_that_is_there_is_enough(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "834", "Uchi")
    made, _ = await parts.watches.add("resy", {"date": "2026-03-20", "time_slot": "19:00"})
    await parts.wanted.watch.watch(await scene.looked_for("Uchi"))
    assert await scene.watch_keys() == [made.key]


async def test_a_watch_that_only_saw_the_past_is_not(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "834", "Uchi")
    await parts.watches.add("resy", {"date": "2026-02-20", "time_slot": "19:00"})
    await parts.wanted.watch.watch(await scene.looked_for("Uchi"))
    assert len(await scene.watch_keys()) == 8


async def test_what_a_person_paused_stays_paused(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "834", "Uchi")
    for day in range(2, 9):
        made, _ = await parts.watches.add("resy", {"date": f"2026-03-{day:02}", "time_slot": "20:30"})
        await parts.watches.change(made.key, paused=True)
    request = await scene.looked_for("Uchi")
    with pytest.raises(Conflict, match="paused") as refused:
        await parts.wanted.watch.watch(request)
    assert refused.value.code == "paused"
    assert await parts.wanted.watch.find(request) is None


async def test_a_template_provider_is_watched_by_the_watch_that_saw_it(scene: Scene, parts: Parts) -> None:
    made, _ = await parts.watches.add("camps", {"park": "yosemite"})
    await scene.known("camps", "upper-pines", "Upper Pines", watch_key=made.key)
    by_title = await parts.wanted.watch.watch(await scene.looked_for("Upper Pines"))
    assert by_title.place.topic == "group:camps:upper-pines"
    await parts.watches.change(made.key, paused=True)
    other = await scene.looked_for("upper pines", place=None)
    with pytest.raises(Conflict) as paused:
        await parts.wanted.watch.watch(other)
    await parts.watches.remove(made.key)
    with pytest.raises(Conflict) as gone:
        await parts.wanted.watch.watch(other)
    assert (paused.value.code, gone.value.code) == ("paused", "not_watchable")


async def test_own_inventory_needs_no_watch(scene: Scene, parts: Parts) -> None:
    plan = passes_plan(parts.clock.now().date())
    cadences = {plan.pattern.cadence.id: 60.0}
    await put_product(parts.db, parts.clock, PASSES, plan, cadences.keys())
    watched = await parts.wanted.watch.watch(await scene.looked_for("yosemite day pass"))
    assert watched.place.topic == f"group:{PASSES}"
    assert await parts.watches.page(limit=10) == []


async def test_several_come_into_question(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "1", "Lucia")
    await scene.known("resy", "2", "Lucia")
    request = await scene.looked_for("Lucia")
    with pytest.raises(Conflict) as refused:
        await parts.wanted.watch.watch(request)
    assert refused.value.code == "ambiguous"
    assert [one["group_key"] for one in refused.value.extra["candidates"]] == ["1", "2"]
    noted = await parts.wanted.watch.get(request)
    assert (noted.status, noted.verdict) == ("open", "ambiguous")
    assert [one.group_key for one in noted.candidates] == ["1", "2"]
    assert await scene.watch_keys() == []
    watched = await parts.wanted.watch.watch(request, Choice("resy", "2"))
    assert (watched.created, watched.place.group_key, watched.place.candidates) == (True, "2", [])


async def test_nobody_knows_it(scene: Scene, parts: Parts) -> None:
    await scene.known("soc", "Uchi", "Uchi")
    request = await scene.looked_for("Uchi")
    with pytest.raises(Conflict, match="No provider was seen to have “Uchi”") as refused:
        await parts.wanted.watch.watch(request)
    assert refused.value.code == "unknown_place"
    with pytest.raises(Invalid):
        await parts.wanted.watch.watch(request, Choice("resy", "834"))
    assert (await parts.wanted.watch.get(request)).verdict == "unknown"


async def test_the_same_name_in_another_city(scene: Scene, parts: Parts) -> None:
    await scene.known("tables", "1", "Lucia")
    request = await scene.looked_for("Lucia")
    with pytest.raises(Conflict) as refused:
        await parts.wanted.watch.watch(request)
    assert refused.value.code == "elsewhere"
    # A person may know better.
    assert (await parts.wanted.watch.watch(request, Choice("tables", "1"))).created
    # Without a place nobody can say that it is another.
    nowhere = await scene.looked_for("Lucia", place=None)
    assert (await parts.wanted.watch.watch(nowhere)).place.provider == "tables"


async def test_an_alias_stands_for_its_restaurant(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "5", "Franklin Barbecue")
    now = parts.clock.now()
    async with parts.db.transaction() as connection:
        entity = NewEntity(EntityType.RESTAURANT, "Franklin Barbecue", "austinfood")
        (made,) = await entity_store.ensure_entities(connection, entities=[entity], now=now)
        await entity_store.put_aliases(connection, aliases=[(made.entity_id, "Franklins BBQ")])
    watched = await parts.wanted.watch.watch(await scene.looked_for("franklins bbq"))
    assert watched.place.group_key == "5"


async def test_only_a_place_can_be_watched(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("tacos", kind=EntityType.FOOD)
    with pytest.raises(Invalid, match="is a food") as refused:
        await parts.wanted.watch.watch(request)
    assert refused.value.code == "not_a_place"
    with pytest.raises(NotFound):
        await parts.wanted.watch.watch(12345)


async def test_the_days_are_renewed_and_the_past_removed(scene: Scene, parts: Parts, clock: FakeClock) -> None:
    await scene.known("resy", "834", "Uchi")
    by_hand, _ = await parts.watches.add("resy", {"date": "2026-02-01", "time_slot": "19:00"})
    request = await scene.looked_for("Uchi")
    await parts.wanted.watch.watch(request)
    clock.advance(3 * DAY)
    await parts.wanted.keep.run_once()
    # Yesterday is kept: further west it is still that day. What a person made is theirs, whatever its day.
    assert await scene.watch_keys() == [by_hand.key, *(f"resy:2026-03-{day:02}_20:30" for day in range(4, 12))]
    await parts.wanted.watch.stop(request)
    clock.advance(30 * DAY)
    await parts.wanted.keep.run_once()
    assert await scene.watch_keys() == [by_hand.key]
    assert await scene.rows("SELECT * FROM wanted_watch") == []


async def test_a_note_without_its_watch_is_healed(scene: Scene, parts: Parts, clock: FakeClock) -> None:
    """The process died after it had noted the watches and before it made them."""
    await scene.known("resy", "834", "Uchi")
    async with parts.db.transaction() as connection:
        await store.note_watches(connection, provider="resy", days={"resy:2026-03-02_20:30": date(2026, 3, 2)})
    await parts.wanted.watch.watch(await scene.looked_for("Uchi"))
    assert len(await scene.watch_keys()) == 7
    await parts.watches.remove("resy:2026-03-02_20:30")
    clock.advance(5 * DAY)
    await parts.wanted.keep.run_once()
    assert await scene.rows("SELECT watch_key FROM wanted_watch WHERE day < '2026-03-06'") == []


async def test_the_rule_watches_what_is_looked_for_often(scene: Scene, parts: Parts, clock: FakeClock) -> None:
    await scene.known("resy", "834", "Uchi")
    request = await scene.looked_for("Uchi", 4)
    await parts.wanted.consider.run_once()
    assert await parts.wanted.watch.find(request) is None
    clock.advance(3 * DAY)
    await scene.looked_for("Uchi")
    await parts.wanted.consider.run_once()
    place = await parts.wanted.watch.get(request)
    assert (place.status, place.watched_by, place.occurrences_in_window) == ("watched", "rule", 5)
    assert len(await scene.watch_keys()) == 7


async def test_sightings_outside_the_window_do_not_count(scene: Scene, parts: Parts, clock: FakeClock) -> None:
    await scene.known("resy", "834", "Uchi")
    request = await scene.looked_for("Uchi", 4)
    clock.advance(7 * DAY)
    await scene.looked_for("Uchi", 4)
    await parts.wanted.consider.run_once()
    assert await parts.wanted.watch.find(request) is None
    await scene.looked_for("Uchi")
    await parts.wanted.consider.run_once()
    assert await scene.status(request) == "watched"


async def test_a_sighting_that_another_host_dated_earlier_is_not_missed(
    scene: Scene, parts: Parts, clock: FakeClock
) -> None:
    await scene.known("resy", "834", "Uchi")
    request = await scene.looked_for("Uchi", 4)
    clock.advance(3600)
    await parts.wanted.consider.run_once()
    clock.set(clock.now() - timedelta(minutes=4))
    await scene.looked_for("Uchi")
    clock.advance(240)
    await parts.wanted.consider.run_once()
    assert await scene.status(request) == "watched"


async def test_a_pass_looks_at_what_was_seen_since_the_last_and_the_first_at_all(
    scene: Scene, parts: Parts, clock: FakeClock, dsn: str
) -> None:
    await scene.known("resy", "834", "Uchi")
    request = await scene.looked_for("Uchi", 4)
    clock.advance(3600)
    await parts.wanted.consider.run_once()
    async with parts.db.connection() as connection:
        # As if a lower number were configured: nothing new was seen, and only a process that starts looks at the old.
        await connection.execute(b"UPDATE collection_request SET occurrence_count = 5, seen_counts = '{5}'")
    await parts.wanted.consider.run_once()
    assert await parts.wanted.watch.find(request) is None
    async with parts_on(dsn, parts.config, clock) as restarted:
        await restarted.wanted.consider.run_once()
    assert await scene.status(request) == "watched"


async def test_the_rule_leaves_to_people_what_it_cannot_tell(scene: Scene, parts: Parts, clock: FakeClock) -> None:
    request = await scene.looked_for("Lucia", 5)
    await parts.wanted.consider.run_once()
    assert (await parts.wanted.watch.get(request)).verdict == "unknown"
    await scene.known("resy", "1", "Lucia")
    await scene.known("resy", "2", "Lucia")
    await parts.wanted.consider.run_once()
    assert (await parts.wanted.watch.get(request)).verdict == "unknown", "it looks again later, not at once"
    clock.advance(900)
    await parts.wanted.consider.run_once()
    noted = await parts.wanted.watch.get(request)
    assert (noted.status, noted.verdict, len(noted.candidates)) == ("open", "ambiguous", 2)
    # When nobody looks for it any more, the rule does not either.
    clock.advance(10 * DAY)
    await parts.wanted.consider.run_once()
    assert await scene.rows("SELECT due_at FROM wanted") == [(None,)]


async def test_the_rule_does_not_take_up_what_a_person_stopped(scene: Scene, parts: Parts, clock: FakeClock) -> None:
    await scene.known("resy", "834", "Uchi")
    request = await scene.looked_for("Uchi", 5)
    await parts.wanted.consider.run_once()
    stopped = await parts.wanted.watch.stop(request)
    assert (stopped.status, stopped.stopped_at) == ("stopped", clock.now())
    assert (await parts.wanted.watch.stop(request)).status == "stopped"
    await scene.looked_for("Uchi", 20)
    await parts.wanted.consider.run_once()
    assert await scene.status(request) == "stopped"
    assert (await parts.wanted.watch.watch(request)).created


async def test_the_rule_meets_a_paused_watch(scene: Scene, parts: Parts) -> None:
    made, _ = await parts.watches.add("camps", {"park": "yosemite"})
    await parts.watches.change(made.key, paused=True)
    await scene.known("camps", "upper-pines", "Upper Pines", watch_key=made.key)
    request = await scene.looked_for("Upper Pines", 5)
    await parts.wanted.consider.run_once()
    noted = await parts.wanted.watch.get(request)
    assert (noted.status, noted.verdict) == ("open", "not_watchable")


async def test_nothing_can_be_stopped_that_is_not_watched(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Lucia", 5)
    with pytest.raises(NotFound):
        await parts.wanted.watch.stop(request)
    await parts.wanted.consider.run_once()
    with pytest.raises(Conflict) as refused:
        await parts.wanted.watch.stop(request)
    assert refused.value.code == "not_watched"


class TestTheRuleSwitchedOff:
    @pytest.fixture
    def config(self) -> Config:
        return wanted_config(enabled=False)

    async def test_only_people_watch(self, scene: Scene, parts: Parts) -> None:
        await scene.known("resy", "834", "Uchi")
        request = await scene.looked_for("Uchi", 50)
        await parts.wanted.consider.run_once()
        assert await parts.wanted.watch.find(request) is None
        assert (await parts.wanted.watch.watch(request)).created


async def test_sightings_are_counted_by_day(scene: Scene, clock: FakeClock) -> None:
    counts: list[object] = []
    for days, times in ((0, 3), (1, 2), (2, 1), (40, 1), (30, 1)):
        clock.advance(days * DAY)
        await scene.looked_for("Uchi", times)
        counts += [row[0] for row in await scene.rows("SELECT seen_counts FROM collection_request")]
    assert counts == [[3], [2, 3], [1, 0, 2, 3], [1], [1, *[0] * 29, 1]]
    within = "SELECT sightings_within(%s::int[], %s::date, %s::date, %s)"
    today = date(2026, 3, 10)
    for before, days, expected in ((0, 1, 1), (0, 3, 3), (0, 31, 6), (1, 1, 0), (2, 4, 1), (31, 31, 0), (-1, 1, 1)):
        values = ([1, 0, 2, 3], today - timedelta(days=before), today, days)
        assert await scene.rows(within, values) == [(expected,)], (before, days)
    assert await scene.rows(within, ([], None, today, 7)) == [(0,)]
    # A sighting that comes late, over midnight, is not lost.
    assert await scene.rows("SELECT count_sighting('{2,1}', '2026-03-10', '2026-03-09')") == [([3, 1],)]
