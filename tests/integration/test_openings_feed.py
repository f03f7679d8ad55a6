"""The hub and its feed over HTTP."""

from __future__ import annotations

import msgspec

from api_client import calling
from dibs.clock import FakeClock
from dibs.openings import put_slots, record
from dibs.parts import Parts
from openings_harness import opened, slot


async def test_a_recorded_event_is_in_the_feed_once(parts: Parts) -> None:
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot(parts, "1")])
        assert len(await record(connection, [opened(parts, "1")])) == 1
        assert await record(connection, [opened(parts, "1")]) == []
    async with calling(parts, None) as client:
        answer = (await client.get("/api/openings")).json()
    assert [item["slot_key"] for item in answer["items"]] == ["1"]
    assert answer["items"][0]["still_open"] is True
    assert answer["next_cursor"] is None


async def test_a_closed_slot_leaves_the_feed_and_stays_among_the_events(parts: Parts) -> None:
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot(parts, "1")])
        await record(connection, [opened(parts, "1")])
        await put_slots(connection, [slot(parts, "1", is_open=False)])
        await record(connection, [opened(parts, "1", status="Closed")])
    async with calling(parts, None) as client:
        assert (await client.get("/api/openings")).json()["items"] == []
        gone = (await client.get("/api/openings?still_open=false")).json()["items"]
        events = (await client.get("/api/events")).json()["items"]
        closed = (await client.get("/api/events?status=Closed")).json()["items"]
    assert [item["still_open"] for item in gone] == [False]
    assert gone[0]["closed_at"] is not None
    assert [item["status_after"] for item in events] == ["Closed", "Open"]
    assert len(closed) == 1


async def test_the_window_and_the_filters_choose(parts: Parts, clock: FakeClock) -> None:
    async with parts.db.transaction() as connection:
        for key, group in (("1", "a"), ("2", "b")):
            await put_slots(connection, [slot(parts, key, group=group)])
            await record(connection, [opened(parts, key, group=group)])
    async with calling(parts, None) as client:
        assert len((await client.get("/api/openings?group=b")).json()["items"]) == 1
        assert (await client.get("/api/openings?provider=other")).json()["items"] == []
        assert len((await client.get("/api/slots?group=a")).json()["items"]) == 1
        clock.advance(11 * 60)
        assert (await client.get("/api/openings")).json()["items"] == []
        assert len((await client.get("/api/openings?within_minutes=20")).json()["items"]) == 2


async def test_pages_follow_each_other_without_gap_or_repeat(parts: Parts) -> None:
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot(parts, str(number)) for number in range(7)])
        await record(connection, [opened(parts, str(number)) for number in range(7)])
    seen: list[str] = []
    async with calling(parts, None) as client:
        for path in ("/api/openings?limit=3", "/api/slots?limit=3"):
            seen.clear()
            cursor = ""
            while cursor is not None:
                answer = (await client.get(path + (f"&cursor={cursor}" if cursor else ""))).json()
                seen += [item["slot_key"] for item in answer["items"]]
                cursor = answer["next_cursor"]
            assert sorted(seen) == [str(number) for number in range(7)]


async def test_nonsense_gets_a_clear_problem(parts: Parts) -> None:
    async with calling(parts, None) as client:
        for path in (
            "/api/openings?limit=501",
            "/api/openings?limit=x",
            "/api/openings?cursor=%00",
            "/api/openings?cursor=bm9wZQ",
            "/api/openings?within_minutes=0",
            "/api/events?status=Nope",
            "/api/openings/99999999999999999999999",
        ):
            answer = await client.get(path)
            assert answer.status_code == 422, path
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["code"] == "invalid_request"
        missing = await client.get("/api/openings/77")
    assert missing.status_code == 404
    assert missing.json()["code"] == "not_found"


async def test_the_atom_feed_escapes_what_a_provider_says(parts: Parts) -> None:
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot(parts, "<b>&\x0b")])
        await record(connection, [opened(parts, "<b>&\x0b")])
    async with calling(parts, None) as client:
        answer = await client.get("/api/openings.atom")
    assert answer.status_code == 200
    assert "&lt;b&gt;&amp;" in answer.text


async def test_what_is_kept_for_one_person_is_not_in_the_feed(parts: Parts) -> None:
    async with parts.db.transaction() as connection:
        await put_slots(connection, [slot(parts, "1")])
        kept = msgspec.structs.replace(opened(parts, "1"), private=True)
        event_id = (await record(connection, [kept]))[0].open_event_id
    async with calling(parts, None) as stranger, calling(parts, "read") as reader:
        assert (await stranger.get("/api/openings")).json()["items"] == []
        assert (await stranger.get("/api/events")).json()["items"] == []
        assert (await stranger.get(f"/api/openings/{event_id}")).status_code == 401
        assert (await reader.get(f"/api/openings/{event_id}")).json()["slot_key"] == "1"
