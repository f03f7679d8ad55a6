"""The line of a product over HTTP, on the command line, on the claim page, in notices and in the trace."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from api_client import calling
from dibs.app import parts_on
from dibs.cli.main import app
from dibs.clock import SystemClock
from dibs.config import Config
from dibs.notify.message import details, headline
from dibs.parts import Parts
from dibs.signals.model import Floor
from line_harness import PASSES, SATURDAY, SUNDAY, open_line, open_pool, pool_plan
from signals_harness import put

WISH: dict[str, Any] = {
    "product": str(PASSES),
    "quantity": 2,
    "earliest_date": "2026-03-14",
    "latest_date": "2026-03-15",
    "channel": "webhook",
    "address": "https://people.example/ann",
}
TABLE: dict[str, Any] = {
    "restaurant": "blue-door",
    "party_size": 2,
    "date": "2026-03-02",
    "time_from": "18:00",
    "time_to": "19:00",
    "channel": "webhook",
    "address": "https://people.example/ann",
}


async def test_join_look_move_leave(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.take("somebody", 2)
    await pool.take("somebody", 2, SUNDAY)
    async with calling(parts, "read") as reader, calling(parts, "staff") as staff:
        joined = await reader.post("/api/line", WISH)
        assert joined.status_code == 201
        place, token = joined.json()["place"], joined.json()["manage_token"]
        assert (place["product"], place["name"], place["quantity"]) == (str(PASSES), "Day pass", 2)
        assert (place["earliest_date"], place["latest_date"]) == ("2026-03-14", "2026-03-15")
        assert (place["restaurant"], place["party_size"], place["service_date"]) == (None, None, None)
        assert (place["position"], place["ahead"], place["status"]) == (1, 0, "waiting")
        again = await reader.post("/api/line", WISH)
        assert (again.status_code, again.json()["existing"]) == (200, True)
        assert (await reader.post("/api/line", WISH | {"address": "https://people.example/ben"})).status_code == 201
        own = f"/api/line/{place['place_id']}"
        assert (await reader.get(own)).status_code == 403
        assert (await reader.get(own, headers={"X-Manage-Token": token})).json()["quantity"] == 2
        assert (await staff.post(f"{own}/move", {"position": 2})).json()["position"] == 2
        assert (await reader.delete(own, headers={"X-Manage-Token": token})).json()["status"] == "left"
        assert (await staff.post(f"{own}/move", {"position": 1})).status_code == 409


async def test_staff_see_every_line_and_can_choose_one(parts: Parts) -> None:
    await open_line(parts)
    await open_pool(parts)
    async with calling(parts, "staff") as staff, calling(parts, "read") as reader, calling(parts, None) as stranger:
        for body in (TABLE, WISH, WISH | {"address": "https://people.example/ben"}):
            assert (await staff.post("/api/line", body)).status_code == 201

        async def listed(query: str) -> list[str]:
            items = (await staff.get(f"/api/line{query}")).json()["items"]
            return [item["product"] or item["restaurant"] for item in items]

        assert await listed("") == [str(PASSES), str(PASSES), "blue-door"]
        assert await listed("?restaurant=blue-door") == ["blue-door"]
        assert await listed(f"?product={PASSES}") == [str(PASSES)] * 2
        assert await listed("?date=2026-03-15") == [str(PASSES)] * 2
        assert await listed("?date=2026-03-16") == []
        assert await listed("?restaurant=nowhere") == []
        first = (await staff.get("/api/line?limit=2")).json()
        rest = (await staff.get(f"/api/line?limit=2&cursor={first['next_cursor']}")).json()
        assert [item["restaurant"] for item in rest["items"]] == ["blue-door"]
        for bad in ("?limit=501", "?cursor=x", "?date=soon"):
            assert (await staff.get(f"/api/line{bad}")).status_code == 422
        assert (await reader.get("/api/line")).status_code == 403
        assert (await stranger.get("/api/line")).status_code == 401
        assert (await stranger.post("/api/line", WISH)).status_code == 401


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"quantity": 0}, "invalid_request"),
        ({"quantity": "two"}, "invalid_request"),
        ({"quantity": 2.0}, "invalid_request"),
        ({"quantity": None}, "invalid_request"),
        ({"quantity": 3}, "insufficient_capacity"),
        ({"quantity": 2**40}, "invalid_request"),
        ({"earliest_date": None}, "invalid_request"),
        ({"latest_date": None}, "invalid_request"),
        ({"latest_date": "soon"}, "invalid_request"),
        ({"latest_date": "2026-03-13"}, "invalid_request"),
        ({"latest_date": "2028-03-13"}, "invalid_request"),
        ({"latest_date": "9999-12-31"}, "invalid_request"),
        ({"earliest_date": "0001-01-01"}, "invalid_request"),
        ({"earliest_date": "2026-02-01", "latest_date": "2026-03-01"}, "invalid_start"),
        ({"earliest_date": "2026-04-01", "latest_date": "2026-04-02"}, "out_of_range"),
        ({"restaurant": "blue-door"}, "invalid_request"),
        ({"product": None}, "invalid_request"),
        ({"product": "x" * 1000}, "invalid_request"),
        ({"party_size": 2}, "invalid_request"),
        ({"date": "2026-03-14"}, "invalid_request"),
        ({"time_from": "18:00"}, "invalid_request"),
        ({"channel": "pigeon"}, "invalid_request"),
        ({"unknown": 1}, "invalid_request"),
    ],
)
async def test_a_wish_that_makes_no_sense_is_422(parts: Parts, change: dict[str, Any], code: str) -> None:
    await open_pool(parts)
    async with calling(parts, "read") as reader:
        answer = await reader.post("/api/line", WISH | change)
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert await parts.line.list_places() == []


@pytest.mark.parametrize("change", [{"quantity": 1}, {"earliest_date": "2026-03-14"}, {"restaurant": None}])
async def test_a_wish_for_a_table_with_a_products_fields_is_422(parts: Parts, change: dict[str, Any]) -> None:
    await open_line(parts)
    async with calling(parts, "read") as reader:
        assert (await reader.post("/api/line", TABLE | change)).status_code == 422
        assert (await reader.post("/api/line", TABLE)).status_code == 201


async def test_both_and_neither_are_told_what_to_send(parts: Parts) -> None:
    await open_pool(parts)
    person = {"channel": "webhook", "address": "https://people.example/ann"}
    async with calling(parts, "read") as reader:
        for body in (person, WISH | TABLE):
            answer = await reader.post("/api/line", body)
            assert answer.status_code == 422
            assert "either restaurant with party_size" in answer.json()["detail"]


async def test_an_unknown_product_is_404_and_one_on_a_floor_points_to_the_restaurants_line(parts: Parts) -> None:
    await open_pool(parts)
    async with calling(parts, "read") as reader:
        for unknown in ("a::b::c::d", "nonsense", "", "\u0000"):
            assert (await reader.post("/api/line", WISH | {"product": unknown})).status_code in {404, 422}
        await put(parts, pool_plan(0, floor=Floor(restaurant="blue-door")), PASSES)
        answer = await reader.post("/api/line", WISH)
    assert (answer.status_code, answer.json()["code"]) == (409, "stands_on_floor")
    assert "POST /api/restaurants/blue-door/line" in answer.json()["detail"]
    assert answer.json()["restaurant"] == "blue-door"


async def test_the_claim_page_says_what_is_kept_and_then_what_the_person_has(parts: Parts) -> None:
    pool = await open_pool(parts, 3)
    await pool.join("ann", 3)
    await pool.turn()
    path = f"/claim?token={pool.token_of('ann')}"
    (reference,) = await pool.references()
    async with calling(parts, None) as person:
        shown = await person.get(path)
        assert "<strong>3 × Day pass, Saturday 14 March</strong>, kept for you until" in shown.text
        assert "(America/New_York)" in shown.text
        assert await pool.references() == {reference}
        claimed = await person.post(path)
        assert "It is yours" in claimed.text
        assert "3 × Day pass, Saturday 14 March 2026" in claimed.text
        assert reference in claimed.text
        assert (await person.post(path)).text == claimed.text
        assert (await person.get(path)).text == claimed.text
        assert (await person.post(f"{path}&action=decline")).status_code == 409


async def test_the_claim_page_lets_go_and_says_when_it_is_over(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.join("ann")
    await pool.join("ben", 2)
    await pool.turn()
    path = f"/claim?token={pool.token_of('ann')}"
    async with calling(parts, None) as person:
        assert "You keep your place" in (await person.post(f"{path}&action=decline")).text
        assert (await person.post(path)).status_code == 410
        await pool.turn()
        leaving = f"/claim?token={pool.token_of('ben')}"
        assert "You left the line" in (await person.post(f"{leaving}&action=leave")).text
    assert await pool.references() == set()


async def test_a_name_with_markup_stays_text(parts: Parts) -> None:
    pool = await open_pool(parts, name="<script>alert(1)</script>")
    await pool.join("ann")
    await pool.turn()
    async with calling(parts, None) as person:
        shown = await person.get(f"/claim?token={pool.token_of('ann')}")
        claimed = await person.post(f"/claim?token={pool.token_of('ann')}")
    assert "<script>alert" not in shown.text + claimed.text
    assert "&lt;script&gt;alert" in shown.text


async def test_the_notice_says_what_and_until_when_and_no_hour_of_the_date(parts: Parts) -> None:
    pool = await open_pool(parts)
    await pool.join("ann", 2)
    await pool.turn()
    (message,) = pool.rig.channel.sent
    assert headline(message) == "Open now: 2 × Day pass, Saturday 14 March"
    facts = dict(details(message))
    assert "When" not in facts
    assert facts["Kept for you until"].startswith("Mon 02 Mar 2026, 07:10")
    payload = message.event.payload
    assert (payload["product"], payload["date"], payload["quantity"]) == (str(PASSES), "2026-03-14", 2)
    assert payload["claim_url"].startswith("https://dibs.example/claim?token=")


async def test_the_trace_shows_who_held_it_and_who_got_it(parts: Parts) -> None:
    pool = await open_pool(parts)
    joined = await pool.join("ann", 2)
    await pool.turn()
    offer = await parts.claim.claim(pool.token_of("ann"))
    assert offer.open_event_id
    trace = await parts.tracer.trace(offer.open_event_id)
    steps = [step for step in trace.steps if step.stage == "offers"]
    assert steps[0].what.startswith(f"place {joined.place_id} was offered 2 × Day pass on 2026-03-14, held until")
    assert steps[0].facts == {"reference": str(offer.offer_id)}
    assert "it is theirs" in steps[1].what
    assert trace.opening.group_key == str(PASSES)
    async with calling(parts, "read") as reader:
        shown = (await reader.get(f"/api/openings/{offer.open_event_id}/trace")).json()
        feed = (await reader.get("/api/openings?within_minutes=60")).json()["items"]
    assert [step["what"] for step in shown["steps"] if step["stage"] == "offers"] == [step.what for step in steps]
    assert feed == [], "an offer is nobody else's business"


def test_the_command_line_lists_moves_and_removes(dsn: str) -> None:
    async def fill() -> None:
        async with parts_on(dsn, Config(), SystemClock()) as parts:
            far: dict[str, Any] = {"range_start": SATURDAY.replace(year=2031), "range_end": SUNDAY.replace(year=2031)}
            pool = await open_pool(parts, **far)
            await pool.join("ann", 2, SATURDAY.replace(year=2031))
            await pool.join("ben", 1, SATURDAY.replace(year=2031), SUNDAY.replace(year=2031))

    asyncio.run(fill())
    environment = {"DIBS_DATABASE__URL": dsn, "COLUMNS": "200"}

    def run(*words: str) -> Any:
        return CliRunner().invoke(app, ["line", *words], env=environment)

    shown = run("list", "--product", str(PASSES))
    assert shown.exit_code == 0, shown.output
    assert "Day pass" in shown.output
    assert "2031-03-15" in shown.output
    listed = json.loads(run("list", "--json").output)
    assert [place["quantity"] for place in listed] == [2, 1]
    assert "nobody waits" in run("list", "--product", str(PASSES), "--date", "2031-03-20").output
    assert "stands at 1 now" in run("move", str(listed[1]["place_id"]), "1").output
    assert "is left" in run("remove", str(listed[0]["place_id"])).output
    assert run("list", "--product", "a::b::c::d").exit_code == 1
    assert run("list", "--product", "nonsense").exit_code == 2
    assert run("list", "blue-door", "--product", str(PASSES)).exit_code == 2
