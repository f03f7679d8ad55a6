"""Many at once: one link, one set of watches, nobody who asked is missed; and what happens with the guard off."""

from __future__ import annotations

import asyncio

import pytest

from dibs.config import Config
from dibs.notify.tokens import hash_token, new_manage_token
from dibs.parts import Parts
from dibs.wanted import Choice, ask_store, store
from dibs.wanted.model import Group
from notify_harness import until
from wanted_harness import Scene, scene_with_uchi, wanted_config

PEOPLE = 7
GUARD = b"WHERE known.status = 'open' OR (known.status = 'stopped' AND excluded.watched_by = 'person')"
WAITS = "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
def config() -> Config:
    return wanted_config()


@pytest.fixture
async def scene(parts: Parts) -> Scene:
    return await scene_with_uchi(parts)


def meet_before_the_link(parts: Parts, monkeypatch: pytest.MonkeyPatch, racers: int) -> None:
    """Everybody has decided that it is not watched yet before anybody links."""
    barrier = asyncio.Barrier(racers)
    real = parts.wanted.keep.ensure

    async def ensure(group: Group) -> list[str]:
        try:
            made = await real(group)
        except BaseException:
            # Nobody waits for one who does not come.
            await barrier.abort()
            raise
        await barrier.wait()
        return made

    monkeypatch.setattr(parts.wanted.keep, "ensure", ensure)


async def race(scene: Scene, parts: Parts) -> tuple[int, int]:
    """So many people and the rule at once; how many of the people made the link, and the request."""
    request = await scene.looked_for("Uchi", 5)
    await scene.ask(request)
    people = asyncio.gather(*(parts.wanted.watch.watch(request) for _ in range(PEOPLE)))
    watched, _ = await asyncio.gather(people, parts.wanted.consider.run_once())
    return sum(one.created for one in watched), request


async def test_people_and_the_rule_at_once_make_one_link(
    scene: Scene, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    meet_before_the_link(parts, monkeypatch, PEOPLE + 1)
    links, request = await race(scene, parts)
    place = await parts.wanted.watch.get(request)
    assert links + (place.watched_by == "rule") == 1
    assert (place.status, place.topic) == ("watched", "group:resy:834")
    assert await scene.watch_keys() == [f"resy:2026-03-{day:02}_20:30" for day in range(2, 9)]
    await scene.settle_all()
    assert len(await scene.subscriptions("group:resy:834", live=False)) == 1


async def test_without_the_guard_everybody_would_link(
    scene: Scene, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the race above is real."""
    real = store.sql

    def unguarded(name: str) -> bytes:
        text = real(name)
        if name != "link_wanted":
            return text
        assert GUARD in text
        return text.replace(GUARD, b"")

    monkeypatch.setattr(store, "sql", unguarded)
    meet_before_the_link(parts, monkeypatch, PEOPLE + 1)
    links, _ = await race(scene, parts)
    assert links == PEOPLE


async def test_two_who_name_different_places(scene: Scene, parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.known("resy", "9", "Uchi")
    request = await scene.looked_for("Uchi")
    meet_before_the_link(parts, monkeypatch, 2)
    choices = [Choice("resy", "834"), Choice("resy", "9")]
    answers = await asyncio.gather(
        *(parts.wanted.watch.watch(request, choice) for choice in choices), return_exceptions=True
    )
    lost = [one for one in answers if isinstance(one, Exception)]
    assert [getattr(one, "code", one) for one in lost] == ["already_watched"]


async def test_many_workers_consider_each_request_once(scene: Scene, parts: Parts) -> None:
    requests = [await scene.looked_for("Uchi", 5), *[await scene.looked_for(f"place {n}", 5) for n in range(9)]]
    await asyncio.gather(*(parts.wanted.consider.run_once() for _ in range(6)))
    places = await parts.wanted.watch.list(limit=50)
    assert {one.request_id for one in places} == set(requests)
    assert [one.term for one in places if one.status == "watched"] == ["Uchi"]
    assert {one.verdict for one in places if one.status == "open"} == {"unknown"}


async def test_many_who_ask_with_one_address_at_once(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    asked = await asyncio.gather(*(scene.ask(request) for _ in range(8)))
    assert sum(not one.existing for one in asked) == 1
    await asyncio.gather(parts.wanted.watch.watch(request), *(scene.ask(request, f"person{n}") for n in range(8)))
    await scene.settle_all()
    assert len(await scene.subscriptions("group:resy:834")) == 9
    assert (await parts.wanted.watch.get(request)).told == 9


async def test_many_workers_tell_everybody_once(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    for n in range(20):
        await scene.ask(request, f"person{n}")
    await parts.wanted.watch.watch(request)
    await asyncio.gather(*(parts.wanted.tell.run_once() for _ in range(6)))
    await scene.settle_all()
    assert len(await scene.subscriptions("group:resy:834", live=False)) == 20


async def ask_while_it_is_watched(scene: Scene, parts: Parts, *, lock: bool) -> bool:
    """Somebody asks while somebody else watches: both have begun, neither has committed. Is the ask due after?"""
    request = await scene.looked_for("Uchi")
    async with parts.db.transaction() as connection:
        await store.open_wanted(connection, request_id=request)
    async with parts.db.transaction() as connection:
        if lock:
            assert await store.lock_wanted(connection, request_id=request) == "open"
        watching = asyncio.create_task(parts.wanted.watch.watch(request))
        if lock:
            await until(lambda: _somebody_waits(scene))
        else:
            await watching
        values = {
            "request_id": request,
            "channel": "email",
            "address": "ann@example.org",
            "address_key": "ann@example.org",
            "locale": "en",
            "preferences": "{}",
            "token_hash": hash_token(new_manage_token()),
            "webhook_secret": None,
            "now": parts.clock.now(),
            "database_now": parts.clock.for_database(),
            # It saw that nothing was watched, so it leaves the rest to whoever watches.
            "token": None,
            "lease_s": 60.0,
            "worker": "test",
        }
        await ask_store.insert_ask(connection, values)
    assert (await watching).created
    return await scene.rows("SELECT due_at IS NOT NULL FROM wanted_ask") == [(True,)]


async def _somebody_waits(scene: Scene) -> bool:
    return await scene.rows(WAITS) == [(True,)]


async def test_who_asks_while_it_becomes_watched_is_not_missed(scene: Scene, parts: Parts) -> None:
    assert await ask_while_it_is_watched(scene, parts, lock=True)


async def test_without_the_lock_they_would_be_missed(scene: Scene, parts: Parts) -> None:
    """The control: without the row's lock the two do not see each other."""
    assert not await ask_while_it_is_watched(scene, parts, lock=False)
