"""The HTTP face of what is wanted: shapes, scopes, and every bad input."""

from __future__ import annotations

from typing import Any

import pytest

from api_client import calling
from dibs.config import Config
from dibs.config.sections import Notify
from dibs.parts import Parts
from dibs.places.model import EntityType
from wanted_harness import Scene, scene_with_uchi, wanted_config

ANN = {"channel": "webhook", "address": "https://people.example/ann"}


@pytest.fixture
def config() -> Config:
    return wanted_config()


@pytest.fixture
async def scene(parts: Parts) -> Scene:
    return await scene_with_uchi(parts)


def of(request_id: int, verb: str) -> str:
    return f"/api/collection-requests/{request_id}/{verb}"


async def test_watch_look_stop(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi", 2)
    async with calling(parts) as admin, calling(parts, "read") as reader:
        made = await admin.post(of(request, "watch"))
        assert made.status_code == 201
        body = made.json()
        assert body["created"] is True
        assert body["sentence"] == "“Uchi” is watched: Uchi at resy (nobody asked yet)."
        assert body["wanted"] | {"last_seen_at": "", "watched_at": ""} == {
            "request_id": request,
            "term": "Uchi",
            "location_key": "austinfood",
            "occurrence_count": 2,
            "occurrences_in_window": 2,
            "last_seen_at": "",
            "status": "watched",
            "verdict": "matched",
            "candidates": [],
            "provider": "resy",
            "group_key": "834",
            "name": "Uchi",
            "topic": "group:resy:834",
            "watched_by": "person",
            "watched_at": "",
            "stopped_at": None,
            "askers": 0,
            "told": 0,
        }
        again = await admin.post(of(request, "watch"), {})
        assert (again.status_code, again.json()["created"]) == (200, False)
        listed = (await reader.get("/api/wanted?status=watched")).json()
        assert [item["request_id"] for item in listed["items"]] == [request]
        stopped = await admin.delete(of(request, "watch"))
        assert (stopped.status_code, stopped.json()["status"]) == (200, "stopped")
        assert (await reader.get("/api/wanted?status=watched")).json()["items"] == []


async def test_the_caller_names_one_of_several(scene: Scene, parts: Parts) -> None:
    await scene.known("resy", "2", "Uchi")
    request = await scene.looked_for("Uchi")
    async with calling(parts) as admin:
        refused = await admin.post(of(request, "watch"))
        assert (refused.status_code, refused.json()["code"]) == (409, "ambiguous")
        assert refused.headers["content-type"] == "application/problem+json"
        choice = refused.json()["candidates"][0]
        assert choice == {"provider": "resy", "group_key": "2", "name": "Uchi", "topic": "group:resy:2"}
        named = {"provider": choice["provider"], "group_key": choice["group_key"]}
        assert (await admin.post(of(request, "watch"), named)).status_code == 201
        other = await admin.post(of(request, "watch"), {"provider": "resy", "group_key": "834"})
        assert (other.status_code, other.json()["code"]) == (409, "already_watched")


async def test_pages(scene: Scene, parts: Parts) -> None:
    requests = [await scene.looked_for(f"place {number}", 5) for number in range(5)]
    await parts.wanted.consider.run_once()
    async with calling(parts, "read") as reader:
        seen: list[int] = []
        cursor = ""
        while True:
            page = (await reader.get(f"/api/wanted?limit=2{cursor}")).json()
            seen += [item["request_id"] for item in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert seen == sorted(requests, reverse=True)
        for bad in ("limit=0", "limit=501", "cursor=x", "cursor=WyJhIl0", "status=gone", "limit=x"):
            assert (await reader.get(f"/api/wanted?{bad}")).status_code == 422, bad


async def test_ask_look_withdraw(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    async with calling(parts, "read") as reader, calling(parts, None) as nobody, calling(parts) as admin:
        window = {"start": "08:00", "end": "22:00", "timezone": "America/Chicago"}
        wishes = {"delivery_window": window, "snooze_until": "2026-03-03T08:00:00Z"}
        asked = await reader.post(of(request, "ask"), {**ANN, "locale": "de", "preferences": wishes})
        assert asked.status_code == 201
        ask, token = asked.json()["ask"], asked.json()["manage_token"]
        assert (ask["status"], ask["topic"], asked.json()["existing"]) == ("waiting", None, False)
        assert asked.json()["webhook_secret"].startswith("whsec_")
        again = await reader.post(of(request, "ask"), ANN)
        assert (again.status_code, again.json()["existing"], "manage_token" in again.json()) == (200, True, False)
        own = of(request, f"asks/{ask['ask_id']}")
        mine = {"X-Manage-Token": token}
        assert (await nobody.get(own)).status_code == 401
        assert (await nobody.get(own, headers={"X-Manage-Token": "mng_wrong"})).status_code == 401
        assert (await reader.get(own)).status_code == 403
        assert (await nobody.get(own, headers=mine)).json()["status"] == "waiting"
        await admin.post(of(request, "watch"))
        await scene.settle_all()
        told = (await nobody.get(own, headers=mine)).json()
        assert (told["status"], told["topic"]) == ("subscribed", "group:resy:834")
        subscription = f"/api/subscriptions/{told['subscription_id']}"
        shown = (await nobody.get(subscription, headers=mine)).json()
        assert (shown["locale"], shown["preferences"]["delivery_window"]) == ("de", window)
        assert shown["preferences"]["snooze_until"] == "2026-03-03T08:00:00Z"
        assert (await nobody.delete(own, headers=mine)).json()["status"] == "withdrawn"
        assert (await nobody.delete(own, headers=mine)).status_code == 200
        assert (await nobody.get(subscription, headers=mine)).json()["status"] == "unsubscribed"
        elsewhere = of(request + 1, f"asks/{ask['ask_id']}")
        assert (await admin.get(elsewhere)).status_code == 404


async def test_an_ask_of_somebody_else_is_not_mine(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    async with calling(parts, "read") as reader, calling(parts, None) as nobody:
        one = (await reader.post(of(request, "ask"), ANN)).json()
        other = (await reader.post(of(request, "ask"), {**ANN, "address": "https://people.example/ben"})).json()
        own = of(request, f"asks/{one['ask']['ask_id']}")
        refused = await nobody.delete(own, headers={"X-Manage-Token": other["manage_token"]})
        assert refused.status_code == 401


async def test_scopes(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    async with calling(parts, "staff") as staff, calling(parts, None) as nobody:
        assert (await staff.post(of(request, "watch"))).status_code == 403
        assert (await staff.delete(of(request, "watch"))).status_code == 403
        assert (await nobody.post(of(request, "watch"))).status_code == 401
        assert (await nobody.get("/api/wanted")).status_code == 401
        assert (await nobody.post(of(request, "ask"), ANN)).status_code == 401
    assert await parts.wanted.watch.find(request) is None


class TestPublic:
    @pytest.fixture
    def config(self) -> Config:
        return wanted_config().changed(notify=Notify(public_subscribe=True))

    async def test_anybody_may_ask_and_not_too_often(self, scene: Scene, parts: Parts) -> None:
        request = await scene.looked_for("Uchi")
        async with calling(parts, None) as nobody:
            statuses = [
                (await nobody.post(of(request, "ask"), {**ANN, "address": f"https://people.example/{n}"})).status_code
                for n in range(12)
            ]
        assert statuses == [201] * 10 + [429] * 2


BODIES: list[Any] = [
    [],
    "text",
    7,
    {"provider": "resy"},
    {"group_key": "834"},
    {"provider": "", "group_key": ""},
    {"provider": 1, "group_key": 2},
    {"provider": "resy", "group_key": "834", "more": 1},
    {"provider": "r" * 101, "group_key": "834"},
    {"provider": "resy", "group_key": "8" * 501},
    {"provider": "resy", "group_key": "nobody"},
    {"provider": "nobody", "group_key": "834"},
    {"provider": "soc", "group_key": "834"},
    {"provider": "réšy\u0000", "group_key": "\u0000"},
    {"provider": "💥", "group_key": "🦀"},
]


async def test_nonsense_is_refused(scene: Scene, parts: Parts) -> None:
    request = await scene.looked_for("Uchi")
    async with calling(parts) as admin:
        for body in BODIES:
            refused = await admin.post(of(request, "watch"), body)
            assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request"), body
        huge = await admin.post(of(request, "watch"), {"provider": "r" * 2_000_000})
        assert huge.status_code == 413
        for path in (of(request, "watch"), of(request, "ask")):
            torn = await admin.request("POST", path, content=b"{", headers={"Content-Type": "application/json"})
            assert torn.status_code == 422
    assert await parts.wanted.watch.find(request) is None


async def test_requests_that_cannot_be_watched(scene: Scene, parts: Parts) -> None:
    food = await scene.looked_for("tacos", kind=EntityType.FOOD)
    strange = await scene.looked_for("☃ \u202e 寿司'; DROP TABLE wanted; --")
    async with calling(parts) as admin:
        for verb, body in (("watch", None), ("ask", ANN)):
            refused = await admin.post(of(food, verb), body)
            assert (refused.status_code, refused.json()["code"]) == (422, "not_a_place"), verb
            assert (await admin.post(of(99_999, verb), body)).status_code == 404
            for bad in ("0", "-1", "x", str(2**63), "1.5", "%00"):
                answer = await admin.post(f"/api/collection-requests/{bad}/{verb}", body)
                assert answer.status_code in {404, 422}, bad
        unknown = await admin.post(of(strange, "watch"))
        assert (unknown.status_code, unknown.json()["code"]) == (409, "unknown_place")
        assert (await admin.delete(of(food, "watch"))).status_code == 404
        assert (await admin.delete(of(strange, "watch"))).json()["code"] == "not_watched"
        assert (await admin.get(of(strange, "asks/77"))).status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        {"channel": "pigeon"},
        {"channel": None},
        {"address": ""},
        {"address": 7},
        {"address": "not a url"},
        {"address": "https://" + "a" * 2101},
        {"address": "https://people.example/\u0000"},
        {"locale": "no such language"},
        {"locale": "x" * 36},
        {"preferences": {"max_notifications": 0}},
        {"preferences": {"delivery_window": {"start": "25:00", "end": "22:00", "timezone": "UTC"}}},
        {"preferences": {"delivery_window": {"start": "08:00", "end": "22:00", "timezone": "Mars/Base"}}},
        {"preferences": {"snooze_until": "soon"}},
        {"preferences": {"unknown": 1}},
        {"preferences": []},
        {"unknown": 1},
    ],
    ids=str,
)
async def test_a_bad_ask_is_refused(scene: Scene, parts: Parts, change: dict[str, Any]) -> None:
    request = await scene.looked_for("Uchi")
    async with calling(parts) as admin:
        refused = await admin.post(of(request, "ask"), {**ANN, **change})
        assert refused.status_code == 422
        assert refused.json()["code"] in {"invalid_request", "invalid_address"}
    assert await scene.rows("SELECT count(*) FROM wanted_ask") == [(0,)]
