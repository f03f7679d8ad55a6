"""Subscriptions and notices over HTTP: who may, what comes back, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from api_client import Client, calling
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.config.sections import Http
from dibs.config.sections import Notify as NotifySection
from dibs.notify.tokens import link_token
from dibs.parts import Parts
from notify_harness import TOPIC, Receiver, open_slots, receiving

WEBHOOK = {"topic": TOPIC, "channel": "webhook", "address": "https://hooks.example/a"}
MAIL = {"topic": TOPIC, "channel": "email", "address": "ann@example.org"}


@pytest.fixture
def config() -> Config:
    return Config(http=Http(allow_private_targets=True), notify=NotifySection(public_subscribe=True))


async def subscribed(client: Client, **changes: Any) -> dict[str, Any]:
    answer = await client.post("/api/subscriptions", {**WEBHOOK, **changes})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def tell(parts: Parts) -> None:
    await parts.notify.fan_out.run_once()
    await parts.notify.deliver.drain()


async def test_subscribing_shows_the_secrets_once(parts: Parts) -> None:
    async with calling(parts, "read") as client:
        first = await subscribed(client)
        assert set(first) == {"subscription_id", "status", "existing", "manage_token", "webhook_secret"}
        assert (first["status"], first["existing"]) == ("pending", False)
        assert first["webhook_secret"].startswith("whsec_")
        again = await client.post("/api/subscriptions", {**WEBHOOK, "address": "https://HOOKS.example/a"})
        assert again.status_code == 200
        assert again.json() == {
            "subscription_id": first["subscription_id"],
            "status": "pending",
            "existing": True,
        }
        mail = await client.post("/api/subscriptions", MAIL)
        assert "webhook_secret" not in mail.json()
        owner = {"X-Manage-Token": first["manage_token"]}
        shown = (await client.get(f"/api/subscriptions/{first['subscription_id']}", headers=owner)).json()
        assert "manage_token" not in shown
        assert "webhook_secret" not in shown
        assert shown["preferences"] == {"delivery_window": None, "max_notifications": None, "snooze_until": None}
    async with parts.db.connection() as connection:
        row = await (await connection.execute("SELECT * FROM subscription ORDER BY 1 LIMIT 1")).fetchone()
    assert first["manage_token"] not in str(row), "only a hash is stored"


async def test_who_may_do_what(parts: Parts) -> None:
    async with calling(parts, "admin") as admin, calling(parts, "read") as reader, calling(parts, None) as nobody:
        made = await subscribed(reader)
        other = await subscribed(reader, address="https://hooks.example/b")
        path = f"/api/subscriptions/{made['subscription_id']}"
        assert (await admin.get(path)).status_code == 200
        assert (await reader.get(path)).status_code == 403
        assert (await nobody.get(path)).status_code == 401
        for token, status in ((made["manage_token"], 200), (other["manage_token"], 401), ("x", 401), ("x" * 513, 422)):
            answer = await nobody.get(path, headers={"X-Manage-Token": token})
            assert answer.status_code == status, token
        assert (await nobody.get("/api/subscriptions")).status_code == 401
        assert (await reader.get("/api/subscriptions")).status_code == 403
        assert len((await admin.get("/api/subscriptions")).json()["items"]) == 2
        assert (await admin.get("/api/subscriptions/999")).status_code == 404
        assert (await nobody.get("/api/notifications")).status_code == 401
        assert (await reader.post("/api/notifications/1/requeue")).status_code == 403
        assert (await admin.post("/api/notifications/1/requeue")).status_code == 404


async def test_subscribing_needs_a_token_unless_it_is_public(parts: Parts) -> None:
    parts.config = Config()
    async with calling(parts, None) as nobody:
        assert (await nobody.post("/api/subscriptions", MAIL)).status_code == 401


async def test_a_public_client_is_limited_and_a_token_is_not(parts: Parts, clock: FakeClock) -> None:
    async with calling(parts, None) as nobody, calling(parts, "read") as reader:
        for number in range(10):
            await subscribed(nobody, address=f"https://hooks.example/{number}")
        refused = await nobody.post("/api/subscriptions", {**WEBHOOK, "address": "https://hooks.example/11"})
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) > 0
        await subscribed(reader, address="https://hooks.example/12")
        clock.advance(600)
        await subscribed(nobody, address="https://hooks.example/13")


async def test_a_topic_can_be_full(parts: Parts) -> None:
    parts.config = Config(notify=NotifySection(max_per_topic=1))
    async with calling(parts, "read") as client:
        await subscribed(client)
        full = await client.post("/api/subscriptions", {**WEBHOOK, "address": "https://hooks.example/b"})
        assert (full.status_code, full.json()["code"]) == (429, "too_many_subscriptions")
        assert (await client.post("/api/subscriptions", WEBHOOK)).status_code == 200
        await subscribed(client, topic="watch:shop:b")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"topic": ""}, "topic"),
        ({"topic": "slot:"}, "topic"),
        ({"topic": "a\x00b:c"}, "topic"),
        ({"topic": "x" * 501}, "topic"),
        ({"channel": "pigeon"}, "channel"),
        ({"address": "nonsense"}, "address"),
        ({"address": "https://user:pw@hooks.example/"}, "address"),
        ({"address": None}, "address"),
        ({"locale": "not a locale"}, "locale"),
        ({"extra": 1}, "extra"),
        ({"preferences": {"max_notifications": 0}}, "max_notifications"),
        ({"preferences": {"max_notifications": "3"}}, "max_notifications"),
        ({"preferences": {"snooze_until": "2026-01-01T00:00:00"}}, "snooze_until"),
        ({"preferences": {"snooze_until": "tomorrow"}}, "snooze_until"),
        ({"preferences": {"colour": "red"}}, "colour"),
        ({"preferences": {"delivery_window": {"start": "8", "end": "22:00", "timezone": "UTC"}}}, "start"),
        ({"preferences": {"delivery_window": {"start": "08:00", "end": "24:00", "timezone": "UTC"}}}, "end"),
        ({"preferences": {"delivery_window": {"start": "08:00", "end": "22:00", "timezone": "X/Y"}}}, "time zone"),
        ({"preferences": {"delivery_window": {"start": "08:00", "end": "22:00"}}}, "timezone"),
    ],
)
async def test_a_bad_wish_is_named(parts: Parts, changes: dict[str, Any], named: str) -> None:
    async with calling(parts, "read") as client:
        answer = await client.post("/api/subscriptions", {**WEBHOOK, **changes})
    assert answer.status_code == 422
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert named in answer.json()["detail"]


async def test_preferences_change_one_by_one_and_leave_a_history(parts: Parts) -> None:
    window = {"start": "20:00", "end": "02:00", "timezone": "Europe/Berlin"}
    async with calling(parts, None) as nobody:
        made = await subscribed(nobody, preferences={"max_notifications": 3})
        owner = {"X-Manage-Token": made["manage_token"]}
        path = f"/api/subscriptions/{made['subscription_id']}"
        changed = await nobody.patch(path, {"preferences": {"delivery_window": window}}, headers=owner)
        assert changed.json()["preferences"] == {
            "delivery_window": window,
            "max_notifications": 3,
            "snooze_until": None,
        }
        cleared = await nobody.patch(path, {"preferences": {"max_notifications": None}}, headers=owner)
        assert cleared.json()["preferences"]["max_notifications"] is None
        assert (await nobody.patch(path, {"status": "paused"}, headers=owner)).json()["status"] == "paused"
        assert (await nobody.patch(path, {"status": "active"}, headers=owner)).json()["status"] == "active"
        assert (await nobody.patch(path, {"status": "suppressed"}, headers=owner)).status_code == 422
        events = (await nobody.get(f"{path}/events", headers=owner)).json()["items"]
        assert [event["kind"] for event in events] == [
            "status_changed",
            "status_changed",
            "preferences_changed",
            "preferences_changed",
            "created",
        ]
        first = (await nobody.get(f"{path}/events?limit=2", headers=owner)).json()
        rest = (await nobody.get(f"{path}/events?cursor={first['next_cursor']}", headers=owner)).json()
        assert len(first["items"]) + len(rest["items"]) == 5


async def test_a_deleted_subscription_stays_readable_and_makes_room_for_a_new_one(parts: Parts) -> None:
    async with calling(parts, "admin") as client:
        made = await subscribed(client)
        path = f"/api/subscriptions/{made['subscription_id']}"
        for _ in range(2):
            assert (await client.delete(path)).status_code == 204
        assert (await client.get(path)).json()["status"] == "unsubscribed"
        assert (await client.patch(path, {"status": "active"})).status_code == 409
        assert (await client.post(f"{path}/test")).status_code == 409
        events = (await client.get(f"{path}/events")).json()["items"]
        assert [event["kind"] for event in events] == ["unsubscribed", "created"]
        again = await subscribed(client)
        assert again["subscription_id"] != made["subscription_id"]


async def test_the_unsubscribe_page_asks_and_the_button_acts(parts: Parts) -> None:
    topic = "watch:shop:<b>"
    async with calling(parts, None) as nobody, calling(parts, "admin") as admin:
        made = await subscribed(nobody, topic=topic)
        stored = await parts.notify.manage.get(made["subscription_id"])
        link = link_token(stored.subscription_id, stored.manage_token_hash, "unsubscribe")
        page = await nobody.get(f"/unsubscribe?token={link}")
        assert page.status_code == 200
        assert "<form" in page.text
        assert "<b>" not in page.text
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        path = f"/api/subscriptions/{made['subscription_id']}"
        assert (await admin.get(path)).json()["status"] == "pending", "looking changes nothing"
        for _ in range(2):
            left = await nobody.request("POST", f"/unsubscribe?token={link}", data={"x": "y"})
            assert left.status_code == 200
            assert "unsubscribed" in left.text
        assert (await admin.get(path)).json()["status"] == "unsubscribed"
        assert "<form" not in (await nobody.get(f"/unsubscribe?token={link}")).text


async def test_one_click_unsubscribes_and_the_manage_token_works_as_well(parts: Parts) -> None:
    async with calling(parts, None) as nobody, calling(parts, "admin") as admin:
        made = await subscribed(nobody)
        done = await nobody.request(
            "POST", f"/unsubscribe?token={made['manage_token']}", data={"List-Unsubscribe": "One-Click"}
        )
        assert done.status_code == 200
        shown = (await admin.get(f"/api/subscriptions/{made['subscription_id']}")).json()
        assert (shown["status"], shown["reason"]) == ("unsubscribed", "one_click")


@pytest.mark.parametrize("token", ["", "x", "1.abc", "1." + "0" * 40, "x" * 600, "%00", "9" * 30 + "." + "0" * 40])
async def test_a_bad_link_is_a_page_that_says_so(parts: Parts, token: str) -> None:
    async with calling(parts, None) as nobody:
        await subscribed(nobody)
        for method, path in (("GET", "/unsubscribe"), ("POST", "/unsubscribe"), ("POST", "/verify")):
            answer = await nobody.request(method, f"{path}?token={token}")
            assert answer.status_code in (404, 422)


async def test_a_test_notice_reports_what_really_happened(parts: Parts) -> None:
    async with receiving() as receiver, calling(parts, None) as nobody:
        made = await subscribed(nobody, address=f"{receiver.url}/hook")
        owner = {"X-Manage-Token": made["manage_token"]}
        path = f"/api/subscriptions/{made['subscription_id']}/test"
        good = (await nobody.post(path, headers=owner)).json()
        assert (good["ok"], good["outcome"]) == (True, "sent")
        assert receiver.hooks[0].headers["webhook-id"] == good["message_id"]
        assert b'"opening.test"' in receiver.hooks[0].body

        receiver.answer = lambda _: web.Response(status=404)
        bad = (await nobody.post(path, headers=owner)).json()
        assert (bad["ok"], bad["outcome"], bad["reason"]) == (False, "failed", "http_404")
        for _ in range(8):
            await nobody.post(path, headers=owner)
        assert (await nobody.post(path, headers=owner)).status_code == 429
    await parts.notify.close()


async def test_notices_are_listed_filtered_and_requeued(parts: Parts) -> None:
    async with receiving() as receiver, calling(parts, "admin") as client:
        await _fail_once(parts, client, receiver)
        notices = (await client.get("/api/notifications")).json()["items"]
        assert len(notices) == 1
        notice = notices[0]
        assert {
            "notification_id",
            "open_event_id",
            "subscription_id",
            "fanout_status",
            "fanout_attempts",
            "last_attempt_at",
            "next_attempt_at",
            "locked_by",
            "locked_at",
            "error",
            "reason",
        } <= set(notice)
        assert (notice["fanout_status"], notice["reason"], notice["fanout_attempts"]) == ("failed", "http_400", 1)
        for query, count in (
            ("status=failed", 1),
            ("status=sent", 0),
            (f"subscription_id={notice['subscription_id']}", 1),
            ("subscription_id=999", 0),
            (f"open_event_id={notice['open_event_id']}", 1),
        ):
            assert len((await client.get(f"/api/notifications?{query}")).json()["items"]) == count
        opening = (await client.get(f"/api/openings/{notice['open_event_id']}")).json()
        assert [one["notification_id"] for one in opening["notifications"]] == [notice["notification_id"]]
        receiver.answer = None
        path = f"/api/notifications/{notice['notification_id']}"
        assert (await client.post(f"{path}/requeue")).json()["fanout_status"] == "pending"
        await tell(parts)
        assert (await client.get(path)).json()["fanout_status"] == "sent"
        assert (await client.post(f"{path}/requeue")).status_code == 409
        assert len({hook.headers["webhook-id"] for hook in receiver.hooks}) == 1
    await parts.notify.close()


async def _fail_once(parts: Parts, client: Client, receiver: Receiver) -> None:

    receiver.answer = lambda _: web.Response(status=400)
    await subscribed(client, address=f"{receiver.url}/hook")
    await open_slots(parts, "1")
    await tell(parts)


async def test_the_public_does_not_see_who_was_told(parts: Parts) -> None:
    async with calling(parts, None) as nobody:
        await subscribed(nobody)
        event = (await open_slots(parts, "1"))[0]
        await parts.notify.fan_out.run_once()
        assert (await nobody.get(f"/api/openings/{event}")).json()["notifications"] == []


@pytest.mark.parametrize("query", ["status=lost", "limit=501", "cursor=%00", "subscription_id=x", "open_event_id=-1"])
async def test_bad_filters_are_refused(parts: Parts, query: str) -> None:
    async with calling(parts, "read") as client:
        assert (await client.get(f"/api/notifications?{query}")).status_code == 422
