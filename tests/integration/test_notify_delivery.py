"""Delivery: hours, retries, failures, crashes, suppression, requeue."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Notify as NotifySection
from dibs.errors import Conflict, NotFound
from dibs.notify import Change, Wish
from dibs.notify.delivery_store import NOTICES
from dibs.notify.model import GiveUp, Message, Ok, Outcome, Retry
from dibs.notify.prune import BATCH
from dibs.parts import Parts
from dibs.work import claim
from notify_harness import RecordingChannel, Rig, close_slots, open_slots, rig

WINDOW = {"start": "08:00", "end": "22:00", "timezone": "America/New_York"}


def failing(reason: str = "http_503", after: float | None = None) -> Outcome:
    return Retry(reason, "503 Service Unavailable", after)


async def one_notice(it: Rig) -> int:
    await it.subscribe()
    await open_slots(it.parts, "1")
    await it.fan_out()
    return (await it.notify.notices.list())[0].notification_id


async def test_outside_its_hours_a_notice_waits_and_is_sent_when_they_begin(parts: Parts, clock: FakeClock) -> None:
    """The night of the spring change: 08:00 comes at 12:00 UTC, not at 13:00."""
    clock.set(datetime(2026, 3, 8, 4, 30, tzinfo=UTC))
    it = rig(parts)
    await it.subscribe(delivery_window=WINDOW)
    await open_slots(parts, "1")
    await it.tell()
    waiting = (await it.notify.notices.list())[0]
    assert (waiting.fanout_status, waiting.reason, waiting.fanout_attempts) == ("pending", "outside_window", 0)
    assert waiting.next_attempt_at == datetime(2026, 3, 8, 12, 0, tzinfo=UTC)
    clock.set(datetime(2026, 3, 8, 11, 59, 59, tzinfo=UTC))
    assert await it.tell() == 0
    clock.set(datetime(2026, 3, 8, 12, 0, tzinfo=UTC))
    await it.tell()
    assert len(it.channel.sent) == 1


async def test_in_autumn_the_hours_begin_an_hour_later_in_utc(parts: Parts, clock: FakeClock) -> None:
    clock.set(datetime(2026, 11, 1, 4, 30, tzinfo=UTC))
    it = rig(parts)
    await it.subscribe(delivery_window=WINDOW)
    await open_slots(parts, "1")
    await it.tell()
    clock.set(datetime(2026, 11, 1, 12, 59, 59, tzinfo=UTC))
    assert await it.tell() == 0
    clock.set(datetime(2026, 11, 1, 13, 0, tzinfo=UTC))
    await it.tell()
    assert len(it.channel.sent) == 1


async def test_what_closed_during_quiet_hours_is_not_announced_in_the_morning(parts: Parts, clock: FakeClock) -> None:
    clock.set(datetime(2026, 3, 3, 5, 0, tzinfo=UTC))
    it = rig(parts)
    await it.subscribe(delivery_window=WINDOW)
    await open_slots(parts, "1", "2")
    await it.tell()
    await close_slots(parts, "1")
    clock.set(datetime(2026, 3, 3, 13, 0, tzinfo=UTC))
    await it.tell()
    assert [message.event.slot_key for message in it.channel.sent] == ["2"]
    assert ("expired", "closed_meanwhile") in await it.statuses()


async def test_three_attempts_then_failed_each_counted_once(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts, lambda _: failing())
    number = await one_notice(it)
    seen: list[tuple[str, int]] = []
    for wait_s in (0, 3, 10):
        clock.advance(wait_s)
        await it.tell()
        notice = await it.notify.notices.get(number)
        seen.append((notice.fanout_status, notice.fanout_attempts))
        assert (notice.locked_by, notice.locked_at, notice.maybe_sent) == (None, None, False)
    assert seen == [("pending", 1), ("pending", 2), ("failed", 3)]
    notice = await it.notify.notices.get(number)
    assert (notice.reason, notice.error) == ("http_503", "503 Service Unavailable")
    assert len({message.idempotency_key for message in it.channel.sent}) == 1


async def test_retry_after_is_honoured(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts, lambda _: failing("http_429", 120.0))
    await one_notice(it)
    await it.tell()
    clock.advance(119)
    assert await it.tell() == 0
    clock.advance(26)
    assert await it.tell() == 1


async def test_a_gone_endpoint_is_suppressed_and_its_history_says_why(parts: Parts) -> None:
    it = rig(parts, lambda _: GiveUp("gone", "410 Gone", suppress=True))
    made = await it.subscribe()
    await open_slots(parts, "1")
    await it.tell()
    assert await it.statuses() == [("failed", "gone")]
    subscription = await it.notify.manage.get(made.subscription_id)
    assert (subscription.status, subscription.reason) == ("suppressed", "gone")
    kinds = {event.kind: event.detail for event in await it.notify.manage.history(made.subscription_id)}
    assert kinds["notify_failed"]["reason"] == "gone"
    assert kinds["status_changed"] == {"from": "pending", "to": "suppressed", "reason": "gone", "error": "410 Gone"}
    await open_slots(parts, "2")
    await it.tell()
    assert len(it.channel.sent) == 1


async def test_an_endpoint_that_fails_for_days_is_suppressed_but_not_before(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts, lambda _: GiveUp("http_400", "400 Bad Request"))
    made = await it.subscribe()
    statuses: list[str] = []
    for day in range(4):
        await open_slots(parts, str(day))
        await it.tell()
        statuses.append((await it.notify.manage.get(made.subscription_id)).status)
        clock.advance(86_400)
    assert statuses == ["pending", "pending", "pending", "suppressed"]
    assert (await it.notify.manage.get(made.subscription_id)).reason == "failing"


async def test_one_success_forgives_earlier_failures(parts: Parts, clock: FakeClock) -> None:
    answers: list[Outcome] = [GiveUp("http_400", "x"), Ok(), GiveUp("http_400", "x")]
    it = rig(parts, lambda _: answers.pop(0))
    made = await it.subscribe()
    for number in range(3):
        await open_slots(parts, str(number))
        await it.tell()
        clock.advance(4 * 86_400)
    assert (await it.notify.manage.get(made.subscription_id)).status == "active"


async def test_a_fault_of_ours_never_suppresses_anybody(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts, lambda _: GiveUp("smtp_550", "x", ours=True))
    made = await it.subscribe()
    for number in range(3):
        await open_slots(parts, str(number))
        await it.tell()
        clock.advance(4 * 86_400)
    assert (await it.notify.manage.get(made.subscription_id)).failing_since is None


async def test_the_first_accepted_notice_makes_a_subscription_active(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe()
    assert made.status == "pending"
    await open_slots(parts, "1")
    await it.tell()
    assert (await it.notify.manage.get(made.subscription_id)).status == "active"
    kinds = [event.kind for event in await it.notify.manage.history(made.subscription_id)]
    assert sorted(kinds) == ["created", "notify_sent", "status_changed"]


async def test_a_channel_that_raises_costs_only_its_own_notice(parts: Parts) -> None:
    def answer(message: Message) -> Outcome:
        if "bad" in message.address:
            raise RuntimeError("a bug")
        return Ok()

    it = rig(parts, answer)
    await it.subscribe("https://bad.example/")
    await it.subscribe("https://good.example/")
    await open_slots(parts, "1")
    await it.tell()
    assert sorted(await it.statuses(), key=str) == [("pending", "channel_error"), ("sent", None)]


async def test_a_crash_leaves_maybe_sent_and_the_retry_carries_the_same_key(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts)
    number = await one_notice(it)
    blocked = asyncio.Event()

    class Hanging(RecordingChannel):
        async def send(self, message: Message) -> Outcome:
            await super().send(message)
            await blocked.wait()
            return Ok()

    hanging = Hanging()
    dying = rig(parts, channel=hanging)
    await dying.notify.deliver.run_once()
    await asyncio.wait_for(hanging.arrived.wait(), 20)
    notice = await it.notify.notices.get(number)
    assert (notice.maybe_sent, notice.locked_by, notice.locked_at) == (True, "test", clock.now())
    assert await it.tell() == 0, "the lease holds"
    await dying.notify.deliver.finish(0)
    assert (await it.notify.notices.get(number)).maybe_sent, "a worker that ends says nothing"
    clock.advance(121)
    await it.tell()
    assert [message.idempotency_key for message in it.channel.sent] == [hanging.sent[0].idempotency_key]
    notice = await it.notify.notices.get(number)
    assert (notice.fanout_status, notice.fanout_attempts, notice.maybe_sent) == ("sent", 1, False)


async def test_a_worker_that_lost_its_lease_writes_nothing(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts)
    number = await one_notice(it)
    release = asyncio.Event()

    class Slow(RecordingChannel):
        async def send(self, message: Message) -> Outcome:
            await super().send(message)
            await release.wait()
            return GiveUp("http_400", "late")

    slow = Slow()
    late = rig(parts, channel=slow)
    await late.notify.deliver.run_once()
    await asyncio.wait_for(slow.arrived.wait(), 20)
    clock.advance(121)
    async with parts.db.transaction() as connection:
        await claim(connection, NOTICES["webhook"], limit=9, lease_s=120, worker="other", now=clock.now())
    release.set()
    await late.notify.deliver.finish(20)
    notice = await it.notify.notices.get(number)
    assert (notice.fanout_status, notice.fanout_attempts, notice.locked_by) == ("pending", 0, "other")


async def test_requeue_starts_again_under_the_same_key(parts: Parts) -> None:
    it = rig(parts, lambda _: GiveUp("http_400", "x"))
    number = await one_notice(it)
    await it.tell()
    it.channel.answer = None
    again = await it.notify.notices.requeue(number)
    assert (again.fanout_status, again.fanout_attempts, again.reason) == ("pending", 0, "requeued")
    await it.tell()
    assert (await it.notify.notices.get(number)).fanout_status == "sent"
    assert len({message.idempotency_key for message in it.channel.sent}) == 1
    with pytest.raises(Conflict, match="delivered once"):
        await it.notify.notices.requeue(number)
    with pytest.raises(NotFound):
        await it.notify.notices.requeue(10**9)


async def test_what_expires_after_failures_still_says_what_it_met(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts, lambda _: failing(after=7_200))
    await one_notice(it)
    await it.tell()
    clock.advance(3 * 3_600)
    await it.tell()
    notice = (await it.notify.notices.list())[0]
    assert (notice.fanout_status, notice.reason, notice.fanout_attempts) == ("expired", "too_old", 1)
    assert notice.error == "503 Service Unavailable"


async def test_requeue_cannot_pass_a_cap(parts: Parts) -> None:
    it = rig(parts)
    await it.subscribe(max_notifications=1)
    await open_slots(parts, "1", "2")
    await it.tell()
    capped = (await it.notify.notices.list(status="skipped"))[0]
    with pytest.raises(Conflict, match="1 notices"):
        await it.notify.notices.requeue(capped.notification_id)


async def test_a_failed_notice_gives_its_place_under_a_cap_back(parts: Parts) -> None:
    answers: list[Outcome] = [GiveUp("http_400", "x"), Ok()]
    it = rig(parts, lambda _: answers.pop(0))
    made = await it.subscribe(max_notifications=1)
    await open_slots(parts, "1")
    await it.tell()
    await open_slots(parts, "2")
    await it.tell()
    assert await it.statuses() == [("failed", "http_400"), ("sent", None)]
    assert (await it.notify.manage.get(made.subscription_id)).status == "paused"


async def test_resuming_after_a_cap_gives_the_same_number_once_more(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe(max_notifications=1)
    await open_slots(parts, "1")
    await it.tell()
    await it.notify.manage.change(made.subscription_id, Change(status="active"))
    await open_slots(parts, "2", "3")
    await it.tell()
    assert len(it.channel.sent) == 2
    assert (await it.notify.manage.get(made.subscription_id)).status == "paused"


async def test_pruning_takes_what_is_past_retention_in_batches_and_keeps_the_history(
    parts: Parts, clock: FakeClock
) -> None:
    it = rig(parts)
    made = await it.subscribe()
    await open_slots(parts, "1")
    await it.tell()
    clock.advance(31 * 86_400)
    await open_slots(parts, "2")
    await it.tell()
    assert await it.notify.prune.run_once() > 0
    assert [notice.fanout_status for notice in await it.notify.notices.list()] == ["sent"]
    history = await it.notify.manage.history(made.subscription_id)
    assert [event.kind for event in history].count("notify_sent") == 2
    assert BATCH <= 1_000


async def test_the_loop_is_told_when_the_next_notice_is_due(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts, lambda _: failing())
    assert await it.notify.deliver.run_once() == 5.0, "nothing waits: it does not spin"
    await one_notice(it)
    await it.tell()
    assert 0 < await it.notify.deliver.run_once() <= 2.4
    clock.advance(timedelta(seconds=2.5).total_seconds())
    await it.notify.deliver.run_once()
    await it.notify.deliver.finish(20)


async def test_a_pending_mail_waits_for_its_link_when_verification_is_on(parts: Parts) -> None:
    parts.config = Config(notify=NotifySection(verify_email=True))
    mail = RecordingChannel("email")
    notify = rig(parts, channel=mail).notify
    made = await notify.subscribe.subscribe(Wish("watch:shop:a", "email", "ann@example.org"))
    await notify.deliver.drain()
    assert [message.kind for message in mail.sent] == ["verification"]
    await open_slots(parts, "1")
    await notify.fan_out.run_once()
    await notify.deliver.drain()
    assert len(mail.sent) == 1, "not confirmed yet"
    link = mail.sent[0].verify_url
    assert link
    token = link.partition("token=")[2]
    assert (await notify.manage.verify(token)).status == "active"
    assert (await notify.manage.verify(token)).status == "active", "following it twice is fine"
    await open_slots(parts, "2")
    await notify.fan_out.run_once()
    await notify.deliver.drain()
    assert [message.kind for message in mail.sent] == ["verification", "opening"]
    kinds = {event.kind for event in await notify.manage.history(made.subscription_id)}
    assert {"verification_sent", "verified", "notify_sent"} <= kinds
