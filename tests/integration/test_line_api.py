"""The line over HTTP, and the claim page."""

from __future__ import annotations

import pytest

from api_client import calling
from capacity_harness import DINNER_AT
from dibs.parts import Parts
from line_harness import open_line

JOIN = {
    "party_size": 2,
    "channel": "webhook",
    "address": "https://people.example/ann",
    "earliest": DINNER_AT.isoformat(),
    "latest": DINNER_AT.isoformat(),
}
LINE = "/api/restaurants/blue-door/line"


async def test_join_look_move_leave(parts: Parts) -> None:
    line = await open_line(parts)
    await line.fill()
    async with calling(parts, "read") as reader, calling(parts, "staff") as staff:
        joined = await reader.post(LINE, JOIN)
        assert joined.status_code == 201
        place, token = joined.json()["place"], joined.json()["manage_token"]
        assert (place["position"], place["ahead"], place["status"]) == (1, 0, "waiting")
        again = await reader.post(LINE, JOIN)
        assert (again.status_code, again.json()["existing"]) == (200, True)
        local = {**JOIN, "address": "https://people.example/ben", "earliest": None, "latest": None}
        local |= {"date": "2026-03-02", "time_from": "18:00", "time_to": "19:00"}
        assert (await reader.post(LINE, local)).status_code == 201
        assert (await reader.get(LINE)).status_code == 403
        assert len((await staff.get(LINE)).json()["items"]) == 2
        first_page = (await staff.get(f"{LINE}?limit=1")).json()
        second_page = (await staff.get(f"{LINE}?limit=1&cursor={first_page['next_cursor']}")).json()
        assert [page["items"][0]["position"] for page in (first_page, second_page)] == [1, 2]
        own = f"/api/line/{place['place_id']}"
        assert (await reader.get(own)).status_code == 403
        mine = await reader.get(own, headers={"X-Manage-Token": token})
        assert mine.json()["place_id"] == place["place_id"]
        moved = await staff.post(f"{own}/move", {"position": 2})
        assert moved.json()["position"] == 2
        left = await reader.delete(own, headers={"X-Manage-Token": token})
        assert left.json()["status"] == "left"
        assert (await staff.post(f"{own}/move", {"position": 1})).status_code == 409


@pytest.mark.parametrize(
    "change",
    [
        {"party_size": 0},
        {"party_size": "two"},
        {"channel": "pigeon"},
        {"latest": "soon"},
        {"unknown": 1},
        {"earliest": "2026-03-02T18:00:00"},
    ],
)
async def test_a_malformed_wish_is_422(parts: Parts, change: dict[str, object]) -> None:
    await open_line(parts)
    async with calling(parts, "read") as client:
        answer = await client.post(LINE, {**JOIN, **change})
    assert answer.status_code == 422


async def test_unknown_things_are_404_and_no_token_is_401(parts: Parts) -> None:
    await open_line(parts)
    async with calling(parts, "staff") as staff, calling(parts, None) as stranger:
        assert (await staff.post("/api/restaurants/nowhere/line", JOIN)).status_code == 404
        assert (await staff.get("/api/line/999")).status_code == 404
        assert (await staff.delete("/api/line/999")).status_code == 404
        assert (await staff.post("/api/line/999/move", {"position": 1})).status_code == 404
        assert (await stranger.post(LINE, JOIN)).status_code == 401
        assert (await stranger.get("/api/line/1")).status_code == 401


async def test_a_place_topic_cannot_be_subscribed_to(parts: Parts) -> None:
    await open_line(parts)
    async with calling(parts, "read") as client:
        body = {"topic": "place:1", "channel": "webhook", "address": "https://spy.example/"}
        assert (await client.post("/api/subscriptions", body)).status_code == 422


async def test_the_claim_page_shows_acts_once_and_repeats_its_answer(parts: Parts) -> None:
    line = await open_line(parts)
    await line.join("ann")
    await line.turn()
    path = f"/claim?token={line.token_of('ann')}"
    async with calling(parts, None) as person:
        shown = await person.get(path)
        assert shown.status_code == 200
        assert "Kept for you" in shown.text
        assert "18:00" in shown.text
        # Looking, as a mail scanner does, has changed nothing.
        assert "Kept for you" in (await person.get(path)).text
        claimed = await person.post(path)
        assert "It is yours" in claimed.text
        assert (await person.post(path)).text == claimed.text
        assert "It is yours" in (await person.get(path)).text
        assert (await person.post(f"{path}&action=decline")).status_code == 409


async def test_the_claim_page_lets_go(parts: Parts) -> None:
    line = await open_line(parts)
    await line.join("ann")
    await line.turn()
    path = f"/claim?token={line.token_of('ann')}"
    async with calling(parts, None) as person:
        assert "You keep your place" in (await person.post(f"{path}&action=decline")).text
        assert (await person.post(path)).status_code == 410
        assert (await person.post(f"{path}&action=nonsense")).status_code == 422
        assert (await person.get("/claim?token=nope")).status_code == 404
        assert (await person.get("/claim")).status_code == 404
        assert (await person.post("/claim?token=%00")).status_code == 404
