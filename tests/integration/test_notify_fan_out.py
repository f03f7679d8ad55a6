"""Who is told of an opening, and who is not, and why."""

from __future__ import annotations

from datetime import timedelta

from dibs.clock import FakeClock
from dibs.parts import Parts
from notify_harness import TOPIC, close_slots, come_back, open_slots, rig


async def test_everybody_who_asked_is_told_once(parts: Parts) -> None:
    it = rig(parts)
    for topic in (TOPIC, "slot:shop:1", "group:shop:g"):
        await it.subscribe(f"https://a.example/{topic}", topic)
    await it.subscribe("https://other.example/", "watch:shop:b")
    await open_slots(parts, "1")
    await it.tell()
    assert sorted(message.topic for message in it.channel.sent) == sorted((TOPIC, "slot:shop:1", "group:shop:g"))
    assert await it.tell() == 0
    assert await it.statuses() == [("sent", None)] * 3


async def test_a_reopening_after_a_close_is_told_again_and_a_mere_repeat_is_not(parts: Parts) -> None:
    it = rig(parts)
    await it.subscribe()
    await open_slots(parts, "1")
    await it.tell()
    await open_slots(parts, "1", generation=2)
    await it.tell()
    assert len(it.channel.sent) == 1, "no close in between: it is known to be open"
    await close_slots(parts, "1")
    await open_slots(parts, "1", generation=3)
    await it.tell()
    assert len(it.channel.sent) == 2


async def test_two_events_of_one_slot_in_one_batch_are_one_notice(parts: Parts) -> None:
    it = rig(parts)
    await it.subscribe()
    await open_slots(parts, "1")
    await open_slots(parts, "1", generation=2)
    await it.tell()
    assert len(it.channel.sent) == 1


async def test_open_close_open_before_anybody_looked_is_one_notice_of_the_last(parts: Parts) -> None:
    it = rig(parts)
    await it.subscribe()
    first = await open_slots(parts, "1")
    await close_slots(parts, "1")
    second = await open_slots(parts, "1", generation=2)
    await it.tell()
    assert [message.event.open_event_id for message in it.channel.sent] == second
    assert await it.statuses(open_event_id=first[0]) == [("expired", "closed_meanwhile")]


async def test_a_snoozed_subscription_is_skipped_with_the_reason(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts)
    await it.subscribe(snooze_until=(clock.now() + timedelta(hours=1)).isoformat())
    await open_slots(parts, "1")
    await it.tell()
    assert await it.statuses() == [("skipped", "snoozed")]
    clock.advance(3600)
    await open_slots(parts, "2")
    await it.tell()
    assert [message.event.slot_key for message in it.channel.sent] == ["2"]


async def test_a_cap_is_kept_when_many_open_at_once_and_then_it_is_paused(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe(max_notifications=3)
    await open_slots(parts, *(str(number) for number in range(60)))
    await it.tell()
    assert len(it.channel.sent) == 3
    statuses = await it.statuses()
    assert statuses.count(("sent", None)) == 3
    assert statuses.count(("skipped", "capped")) == 57
    subscription = await it.notify.manage.get(made.subscription_id)
    assert (subscription.status, subscription.reason) == ("paused", "max_notifications")
    await open_slots(parts, "later")
    await it.tell()
    assert len(it.channel.sent) == 3


async def test_nobody_who_left_or_paused_is_matched(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe()
    await it.notify.manage.unsubscribe(made.subscription_id, how="test")
    await open_slots(parts, "1")
    await it.tell()
    assert await it.statuses() == []


async def test_one_who_leaves_between_fan_out_and_delivery_is_skipped(parts: Parts) -> None:
    it = rig(parts)
    made = await it.subscribe()
    await open_slots(parts, "1")
    await it.fan_out()
    await it.notify.manage.unsubscribe(made.subscription_id, how="test")
    await it.tell()
    assert it.channel.sent == []
    assert await it.statuses() == [("skipped", "unsubscribed")]


async def test_a_slot_that_closed_before_the_send_is_not_announced(parts: Parts) -> None:
    it = rig(parts)
    await it.subscribe()
    await open_slots(parts, "1")
    await it.fan_out()
    await close_slots(parts, "1")
    await it.tell()
    assert it.channel.sent == []
    assert await it.statuses() == [("expired", "closed_meanwhile")]


async def test_a_slot_that_came_back_under_the_same_event_is_still_announced(parts: Parts) -> None:
    it = rig(parts)
    await it.subscribe()
    await open_slots(parts, "1")
    await it.fan_out()
    await close_slots(parts, "1")
    await come_back(parts, "1")
    await it.tell()
    assert len(it.channel.sent) == 1


async def test_what_is_too_old_to_matter_expires(parts: Parts, clock: FakeClock) -> None:
    it = rig(parts)
    await it.subscribe()
    await open_slots(parts, "1")
    clock.advance(3601)
    await it.tell()
    assert it.channel.sent == []
    assert await it.statuses() == [("expired", "too_old")]
