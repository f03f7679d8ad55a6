"""Confirming an address: asked at once, asked again when somebody asks again, but not more often than is fit."""

from __future__ import annotations

import asyncio

import pytest

from api_client import calling
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Notify as NotifySection
from dibs.notify import Change, Wish
from dibs.notify.model import Message, Ok, Outcome, Retry
from dibs.parts import Parts
from notify_harness import TOPIC, RecordingChannel, Rig, open_slots, rig

ANN = "ann@example.org"
MINUTES = 60
MAIL = {"topic": TOPIC, "channel": "email", "address": ANN}


@pytest.fixture
def config() -> Config:
    return Config(notify=NotifySection(verify_email=True, public_subscribe=True))


def mailing(parts: Parts) -> Rig:
    it = rig(parts, channel=RecordingChannel("email"))
    parts.notify = it.notify
    return it


async def ask(it: Rig, address: str = ANN, topic: str = TOPIC) -> int:
    made = await it.notify.subscribe.subscribe(Wish(topic, "email", address))
    await it.notify.deliver.drain()
    return made.subscription_id


def confirmations(it: Rig) -> list[Message]:
    return [message for message in it.channel.sent if message.kind == "verification"]


async def follow(it: Rig, message: Message) -> None:
    assert message.verify_url
    await it.notify.manage.verify(message.verify_url.partition("token=")[2])


async def test_asking_again_sends_the_link_again_but_not_at_once(parts: Parts, clock: FakeClock) -> None:
    it = mailing(parts)
    number = await ask(it)
    assert len(confirmations(it)) == 1
    for _ in range(5):
        clock.advance(1 * MINUTES)
        assert await ask(it) == number
    assert len(confirmations(it)) == 1, "it was asked a moment ago"
    clock.advance(5 * MINUTES)
    await ask(it)
    assert len(confirmations(it)) == 2
    clock.advance(9 * MINUTES)
    await ask(it)
    assert len(confirmations(it)) == 2, "ten minutes count from the last mail, not from the first"
    first, second = confirmations(it)
    assert first.idempotency_key != second.idempotency_key, "else a mail program would drop the second"
    await follow(it, second)
    clock.advance(60 * MINUTES)
    await ask(it)
    assert len(confirmations(it)) == 2, "it is confirmed"
    await open_slots(parts, "1")
    await it.tell()
    assert it.channel.sent[-1].kind == "opening"


async def test_the_ten_minutes_are_of_the_address_whatever_the_topic(parts: Parts, clock: FakeClock) -> None:
    it = mailing(parts)
    await ask(it)
    clock.advance(8 * MINUTES)
    await ask(it, topic="watch:shop:b")
    assert len(confirmations(it)) == 2, "another subscription needs a link of its own"
    clock.advance(8 * MINUTES)
    await ask(it, address="Ann@EXAMPLE.org")
    assert len(confirmations(it)) == 2, "the address was asked eight minutes ago"
    await ask(it, address="bob@example.org")
    assert len(confirmations(it)) == 3


async def test_the_answer_does_not_say_whether_a_mail_went_out(parts: Parts, clock: FakeClock) -> None:
    it = mailing(parts)
    async with calling(parts, None) as nobody:
        await nobody.post("/api/subscriptions", MAIL)
        await it.notify.deliver.drain()
        refused = await nobody.post("/api/subscriptions", MAIL)
        await it.notify.deliver.drain()
        assert len(confirmations(it)) == 1
        clock.advance(11 * MINUTES)
        sent = await nobody.post("/api/subscriptions", MAIL)
        await it.notify.deliver.drain()
        assert len(confirmations(it)) == 2
    assert (refused.status_code, refused.json()) == (sent.status_code, sent.json())
    assert set(sent.json()) == {"subscription_id", "status", "existing"}, "and no secret of the first asker"


async def test_a_mail_that_waits_is_not_joined_by_a_second(parts: Parts, clock: FakeClock) -> None:
    answers: list[Outcome] = [Retry("smtp_unreachable", "down", after=3600, ours=True)]
    it = rig(parts, channel=RecordingChannel("email", lambda _: answers.pop() if answers else Ok()))
    await ask(it)
    clock.advance(11 * MINUTES)
    await ask(it)
    clock.advance(120 * MINUTES)
    await it.notify.deliver.drain()
    assert len({message.idempotency_key for message in it.channel.sent}) == 1


async def test_ten_at_once_get_one_mail(parts: Parts, clock: FakeClock) -> None:
    it = mailing(parts)
    await ask(it)
    clock.advance(11 * MINUTES)
    wish = Wish(TOPIC, "email", ANN)
    await asyncio.gather(*(it.notify.subscribe.subscribe(wish) for _ in range(10)))
    await it.notify.deliver.drain()
    assert len(confirmations(it)) == 2


async def test_nobody_who_paused_or_left_is_asked(parts: Parts, clock: FakeClock) -> None:
    it = mailing(parts)
    number = await ask(it)
    await it.notify.manage.change(number, Change(status="paused"))
    clock.advance(11 * MINUTES)
    await ask(it)
    assert len(confirmations(it)) == 1
    resumed = await it.notify.manage.change(number, Change(status="active"))
    assert resumed.status == "pending", "it was never confirmed"
    await it.notify.deliver.drain()
    assert len(confirmations(it)) == 2, "so whoever resumes is asked again"


async def test_who_subscribed_before_confirmation_was_asked_for_can_still_confirm(
    parts: Parts, clock: FakeClock
) -> None:
    parts.config = Config()
    before = mailing(parts)
    number = await ask(before)
    await open_slots(parts, "1")
    await before.tell()
    assert (await before.notify.manage.get(number)).status == "active"
    parts.config = Config(notify=NotifySection(verify_email=True))
    it = mailing(parts)
    clock.advance(1 * MINUTES)
    assert await ask(it) == number
    await follow(it, confirmations(it)[0])
    await open_slots(parts, "2")
    await it.tell()
    assert it.channel.sent[-1].kind == "opening"


async def test_an_unconfirmed_address_gets_no_test_notice_either(parts: Parts) -> None:
    """Whoever subscribed an address has its manage token, and need not own the address."""
    it = mailing(parts)
    async with calling(parts, None) as nobody:
        made = (await nobody.post("/api/subscriptions", MAIL)).json()
        await it.notify.deliver.drain()
        path, owner = f"/api/subscriptions/{made['subscription_id']}/test", {"X-Manage-Token": made["manage_token"]}
        refused = await nobody.post(path, headers=owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "unverified")
        assert [message.kind for message in it.channel.sent] == ["verification"]
        await follow(it, confirmations(it)[0])
        assert (await nobody.post(path, headers=owner)).json()["outcome"] == "sent"


async def test_without_verification_nothing_is_asked(parts: Parts, clock: FakeClock) -> None:
    parts.config = Config()
    it = mailing(parts)
    await ask(it)
    clock.advance(11 * MINUTES)
    await ask(it)
    assert it.channel.sent == []
