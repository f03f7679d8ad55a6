"""Those who asked are told: before and after it is watched, through crashes and changes of mind."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Notify
from dibs.errors import Invalid, NotFound, TooMany
from dibs.notify import Wish
from dibs.notify.limits import REQUESTS_PER_CLIENT
from dibs.notify.subscribe import Subscribe, Subscribed
from dibs.parts import Parts
from dibs.places.model import EntityType
from dibs.wanted import AskWish, Choice, ask_store
from dibs.wanted.tell import LEASE_S
from wanted_harness import Scene, scene_with_uchi, wanted_config

UCHI = "group:resy:834"


@pytest.fixture
def config() -> Config:
    return wanted_config()


@pytest.fixture
async def scene(parts: Parts) -> Scene:
    return await scene_with_uchi(parts)


async def test_who_asked_before_is_subscribed_once_it_is_watched(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    ann, ben = await scene.ask(request, "ann"), await scene.ask(request, "ben", "email")
    assert (ann.ask.status, ann.existing) == ("waiting", False)
    assert ann.manage_token
    assert ann.webhook_secret
    assert ben.webhook_secret is None
    await scene.settle_all()
    assert await scene.subscriptions(UCHI) == []
    assert (await parts.wanted.watch.watch(request)).place.askers == 2
    await scene.settle_all()
    assert {one.address for one in await scene.subscriptions(UCHI)} == {"https://people.example/ann", "ben@example.org"}
    place = await parts.wanted.watch.get(request)
    assert (place.askers, place.told) == (2, 2)
    # The secrets they were given when they asked are those of the subscription.
    mine = await parts.wanted.ask.get(ann.ask.ask_id)
    assert (mine.status, mine.topic) == ("subscribed", UCHI)
    assert mine.subscription_id
    assert await parts.notify.manage.is_owner(mine.subscription_id, ann.manage_token)
    assert (await parts.notify.manage.get(mine.subscription_id)).webhook_secret == ann.webhook_secret


async def test_who_asks_after_is_subscribed_at_once(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    await parts.wanted.watch.watch(request)
    asked = await scene.ask(request)
    assert (asked.ask.status, asked.ask.topic) == ("subscribed", UCHI)
    assert len(await scene.subscriptions(UCHI)) == 1
    assert await scene.rows("SELECT due_at, lease_token FROM wanted_ask") == [(None, None)]


async def test_the_rule_tells_them_too(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi", 5)
    await scene.ask(request)
    await parts.wanted.consider.run_once()
    await scene.settle_all()
    assert len(await scene.subscriptions(UCHI)) == 1


async def test_one_live_ask_per_address(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    first = await scene.ask(request, "ann", "email")
    wish = AskWish("email", "  ANN@EXAMPLE.ORG ")
    again = await parts.wanted.ask.ask(request, wish)
    assert (again.existing, again.manage_token, again.ask.ask_id) == (True, None, first.ask.ask_id)
    await parts.wanted.ask.withdraw(first.ask.ask_id)
    assert not (await parts.wanted.ask.ask(request, wish)).existing


async def test_two_requests_for_one_place_make_one_subscription(scene: Scene, parts: Parts) -> None:
    here, anywhere = await scene.looked_for("Uchi"), await scene.looked_for("uchi", place=None)
    for request in (here, anywhere):
        await scene.ask(request)
        await parts.wanted.watch.watch(request)
    await scene.settle_all()
    assert len(await scene.subscriptions(UCHI)) == 1
    assert await scene.rows("SELECT count(*) FROM wanted WHERE status = 'watched'") == [(2,)]


async def test_withdrawn_before_nothing_comes_of_it(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    asked = await scene.ask(request)
    gone = await parts.wanted.ask.withdraw(asked.ask.ask_id)
    assert gone.status == "withdrawn"
    assert (await parts.wanted.ask.withdraw(asked.ask.ask_id)).withdrawn_at == gone.withdrawn_at
    await parts.wanted.watch.watch(request)
    await scene.settle_all()
    assert await scene.subscriptions(UCHI, live=False) == []


async def test_withdrawn_after_the_subscription_ends(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    await parts.wanted.watch.watch(request)
    asked = await scene.ask(request)
    assert (await parts.wanted.ask.withdraw(asked.ask.ask_id)).status == "withdrawn"
    assert await scene.subscriptions(UCHI) == []


async def test_a_subscription_that_a_person_made_themselves_is_not_ended(scene: Scene, parts: Parts) -> None:
    own = await parts.notify.subscribe.subscribe(Wish(UCHI, "webhook", "https://people.example/ann"))
    request = await scene.looked_for("Uchi")
    await parts.wanted.watch.watch(request)
    # Anybody may ask with her address; their token must not end what is hers.
    asked = await scene.ask(request, "ann")
    assert asked.ask.subscription_id == own.subscription_id
    assert asked.manage_token
    assert not await parts.notify.manage.is_owner(own.subscription_id, asked.manage_token)
    await parts.wanted.ask.withdraw(asked.ask.ask_id)
    assert [one.subscription_id for one in await scene.subscriptions(UCHI)] == [own.subscription_id]


async def test_stopped_and_watched_as_another_place(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    asked = await scene.ask(request)
    await parts.wanted.watch.watch(request)
    await scene.settle_all()
    await parts.wanted.watch.stop(request)
    await scene.settle_all()
    assert await scene.subscriptions(UCHI) == []
    assert (await parts.wanted.ask.get(asked.ask.ask_id)).status == "waiting"
    await scene.known("resy", "9", "Uchi on South Lamar")
    await parts.wanted.watch.watch(request, Choice("resy", "9"))
    await scene.settle_all()
    assert len(await scene.subscriptions("group:resy:9")) == 1
    # Back to the first: as often as anybody likes.
    await parts.wanted.watch.stop(request)
    await parts.wanted.watch.watch(request, Choice("resy", "834"))
    await scene.settle_all()
    assert (len(await scene.subscriptions(UCHI)), await scene.subscriptions("group:resy:9")) == (1, [])
    await parts.wanted.ask.withdraw(asked.ask.ask_id)
    assert await scene.subscriptions(UCHI) == []


async def test_moved_in_one_go(scene: Scene, parts: Parts) -> None:
    """Stopped and watched again before anybody looked at the asks."""
    request = await scene.looked_for("Uchi")
    await scene.ask(request)
    await parts.wanted.watch.watch(request)
    await scene.settle_all()
    await scene.known("resy", "9", "Uchi on South Lamar")
    await parts.wanted.watch.stop(request)
    await parts.wanted.watch.watch(request, Choice("resy", "9"))
    await scene.settle_all()
    assert (await scene.subscriptions(UCHI), len(await scene.subscriptions("group:resy:9"))) == ([], 1)


async def test_who_unsubscribed_is_left_in_peace(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    asked = await scene.ask(request)
    await parts.wanted.watch.watch(request)
    await scene.settle_all()
    told = await parts.wanted.ask.get(asked.ask.ask_id)
    assert told.subscription_id
    await parts.notify.manage.unsubscribe(told.subscription_id, how="by_owner")
    await scene.rows("UPDATE wanted_ask SET due_at = '-infinity' RETURNING 1")
    await scene.settle_all()
    assert await scene.subscriptions(UCHI) == []
    await parts.wanted.watch.stop(request)
    await scene.settle_all()
    await parts.wanted.watch.watch(request)
    await scene.settle_all()
    assert await scene.subscriptions(UCHI) == []
    assert (await parts.wanted.ask.get(asked.ask.ask_id)).status == "withdrawn"


class Died(Exception):
    """The process is gone."""


@pytest.mark.parametrize("before", [True, False], ids=["before it is subscribed", "after it is subscribed"])
async def test_a_crash_in_between_is_healed(
    scene: Scene, parts: Parts, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    request = await scene.looked_for("Uchi")
    await parts.wanted.watch.watch(request)
    real = Subscribe.subscribe

    async def dies(self: Subscribe, wish: Wish, **more: Any) -> Subscribed:
        if not before:
            await real(self, wish, **more)
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(Subscribe, "subscribe", dies)
        with pytest.raises(Died):
            await scene.ask(request)
    await scene.settle_all()
    assert await scene.rows("SELECT subscription_id FROM wanted_ask") == [(None,)], "the dead one's lease still stands"
    clock.advance(LEASE_S + 1)
    await scene.settle_all()
    (made,) = await scene.subscriptions(UCHI)
    assert await scene.rows("SELECT subscription_id, due_at FROM wanted_ask") == [(made.subscription_id, None)]


async def test_withdrawn_after_a_crash_the_lost_subscription_is_found(
    scene: Scene, parts: Parts, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = await scene.looked_for("Uchi")
    await parts.wanted.watch.watch(request)
    real = Subscribe.subscribe

    async def dies(self: Subscribe, wish: Wish, **more: Any) -> Subscribed:
        await real(self, wish, **more)
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(Subscribe, "subscribe", dies)
        with pytest.raises(Died):
            await scene.ask(request)
    ((ask_id,),) = await scene.rows("SELECT ask_id FROM wanted_ask")
    assert isinstance(ask_id, int)
    assert len(await scene.subscriptions(UCHI)) == 1
    await parts.wanted.ask.withdraw(ask_id)
    assert len(await scene.subscriptions(UCHI)) == 1, "whoever holds the lease may still be at it"
    clock.advance(LEASE_S + 1)
    await scene.settle_all()
    assert await scene.subscriptions(UCHI) == []


async def test_a_change_while_it_is_worked_on_is_not_settled_away(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    asked = await scene.ask(request)
    await parts.wanted.watch.watch(request)
    token = uuid4()
    await scene.rows("UPDATE wanted_ask SET lease_token = %s, lease_until = 'infinity' RETURNING 1", [token])
    worked_on = await parts.wanted.ask.get(asked.ask.ask_id)
    await parts.wanted.watch.stop(request)
    async with parts.db.transaction() as connection:
        await ask_store.settle_ask(
            connection,
            ask_id=worked_on.ask_id,
            token=token,
            changes=worked_on.changes,
            topic=UCHI,
            subscription_id=1,
            subscription_hash=worked_on.subscription_hash,
            withdrawn=False,
            problem=None,
            due_at=None,
            now=parts.clock.now(),
        )
    assert await scene.rows("SELECT due_at IS NOT NULL FROM wanted_ask") == [(True,)]


async def test_an_address_that_is_refused_later_says_so(
    scene: Scene, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = await scene.looked_for("Uchi")
    asked = await scene.ask(request)

    async def refuses(self: Subscribe, wish: Wish, **more: Any) -> Subscribed:
        raise Invalid("address: it is not allowed any more.")

    monkeypatch.setattr(Subscribe, "subscribe", refuses)
    await parts.wanted.watch.watch(request)
    await scene.settle_all()
    refused = await parts.wanted.ask.get(asked.ask.ask_id)
    assert (refused.status, refused.problem) == ("refused", "address: it is not allowed any more.")
    assert await scene.rows("SELECT due_at FROM wanted_ask") == [(None,)]


@pytest.mark.parametrize(
    ("channel", "address"),
    [
        ("pigeon", "coo"),
        ("email", ""),
        ("email", "nobody"),
        ("email", "a b@example.org"),
        ("email", f"{'a' * 300}@example.org"),
        ("email", "ann@ex\x00ample.org"),
        ("webhook", "ftp://people.example"),
        ("webhook", "http://127.0.0.1/x"),
        ("apprise", "file:///etc/passwd"),
    ],
)
async def test_bad_addresses_are_refused_as_for_subscriptions(
    scene: Scene, parts: Parts, channel: str, address: str
) -> None:
    request = await scene.looked_for("Uchi")
    with pytest.raises(Invalid):
        await parts.wanted.ask.ask(request, AskWish(channel, address))
    assert await scene.rows("SELECT count(*) FROM wanted_ask") == [(0,)]


async def test_only_for_a_place_and_a_request_that_exist(scene: Scene, parts: Parts) -> None:
    wish = AskWish("email", "ann@example.org")
    with pytest.raises(Invalid) as refused:
        await parts.wanted.ask.ask(await scene.looked_for("tacos", kind=EntityType.FOOD), wish)
    assert refused.value.code == "not_a_place"
    with pytest.raises(NotFound):
        await parts.wanted.ask.ask(777, wish)
    with pytest.raises(NotFound):
        await parts.wanted.ask.withdraw(777)


async def test_callers_without_a_token_are_counted(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    for number in range(REQUESTS_PER_CLIENT):
        await parts.wanted.ask.ask(request, AskWish("email", f"a{number}@example.org"), client="192.0.2.1")
    with pytest.raises(TooMany):
        await parts.wanted.ask.ask(request, AskWish("email", "more@example.org"), client="192.0.2.1")
    await parts.wanted.ask.ask(request, AskWish("email", "more@example.org"), client="192.0.2.2")


class TestFewSubscriptions:
    @pytest.fixture
    def config(self) -> Config:
        return wanted_config().changed(notify=Notify(max_per_topic=1))

    async def test_the_limit_of_a_topic_is_that_of_a_request(self, scene: Scene) -> None:
        request = await scene.looked_for("Uchi")
        await scene.ask(request, "ann")
        with pytest.raises(TooMany):
            await scene.ask(request, "ben")

    async def test_a_full_topic_is_tried_again(self, scene: Scene, parts: Parts, clock: FakeClock) -> None:
        other = await parts.notify.subscribe.subscribe(Wish(UCHI, "email", "first@example.org"))
        request = await scene.looked_for("Uchi")
        asked = await scene.ask(request)
        await parts.wanted.watch.watch(request)
        await scene.settle_all()
        waiting = await parts.wanted.ask.get(asked.ask.ask_id)
        assert waiting.problem
        assert waiting.subscription_id is None
        await parts.notify.manage.unsubscribe(other.subscription_id, how="by_owner")
        clock.advance(601)
        await scene.settle_all()
        told = await parts.wanted.ask.get(asked.ask.ask_id)
        assert (told.status, told.problem) == ("subscribed", None)
