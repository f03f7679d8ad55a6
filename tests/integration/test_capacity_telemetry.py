"""What capacity says of itself: off the hot path, bounded, without guests."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from capacity_harness import House, open_house
from dibs.capacity import Filters, assign_tables, confirm_hold, hold_tables, quote
from dibs.capacity.observation_store import Observation, list_observations
from dibs.capacity.recorder import Recorder, redacted
from dibs.errors import DibsError
from dibs.parts import Parts
from dibs.telemetry import events_capacity


@pytest.fixture
async def house(parts: Parts) -> House:
    return await open_house(parts)


async def observed(parts: Parts) -> list[Observation]:
    await parts.capacity.recorder.flush()
    async with parts.db.connection() as connection:
        return list(reversed(await list_observations(connection)))


async def test_quote_hold_confirm_and_conflict_are_recorded(house: House, parts: Parts) -> None:
    quoted = await quote(parts.capacity, house.asks(), Filters(), held_by="7")
    assert quoted.hold_id
    assert quoted.candidate
    done = await confirm_hold(parts.capacity, quoted.hold_id, guest={"name": "Ada", "phone": "555"})
    booking = await house.booking()
    with pytest.raises(DibsError):
        await assign_tables(parts.capacity, booking.booking_id, list(quoted.candidate.table_ids))
    with pytest.raises(DibsError):
        await hold_tables(parts.capacity, house.asks(), list(quoted.candidate.table_ids), held_by="7")
    seen = await observed(parts)
    assert [one.event_type for one in seen] == [
        "capacity.selector.quote",
        "capacity.hold.created",
        "capacity.hold.confirmed",
        "capacity.rpc.conflict",
        "capacity.rpc.conflict",
    ]
    assert seen[0].context["candidate"]["tables"] == ["A1"]
    assert seen[0].context["skipped"]["inactive"] == 1
    assert seen[0].restaurant_id is not None
    assert seen[1].context["hold_id"] == str(quoted.hold_id)
    assert seen[2].booking_id == done.booking_id
    assert (seen[3].context["code"], seen[3].context["call"]) == ("capacity_conflict", "assign_tables")
    assert {one.severity for one in seen} == {"info", "warning"}
    assert "Ada" not in str(seen)
    assert "555" not in str(seen)


def test_guests_are_redacted_however_deep() -> None:
    told = redacted({"guest": {"name": "Ada"}, "list": [{"Email": "a@b"}], "tables": ["A1"], "pair": ({"phone": 1},)})
    assert told == {
        "guest": "[redacted]",
        "list": [{"Email": "[redacted]"}],
        "tables": ["A1"],
        "pair": [{"phone": "[redacted]"}],
    }


async def test_the_buffer_is_bounded_and_drops_are_counted(parts: Parts) -> None:
    recorder = Recorder(parts.db, parts.clock, most_waiting=10)
    for at in range(25):
        recorder.record(events_capacity.HOLD_CREATED, number=at)
    assert recorder.dropped == 15
    await recorder.flush()
    async with parts.db.connection() as connection:
        kept = await list_observations(connection)
    assert [one.context["number"] for one in reversed(kept)] == list(range(15, 25))
    await recorder.close()


async def test_a_database_that_refuses_fails_no_request(house: House, parts: Parts) -> None:
    async with parts.db.transaction() as connection:
        await connection.execute(b"ALTER TABLE observability_events RENAME TO hidden")
    quoted = await quote(parts.capacity, house.asks(), Filters(), held_by="7")
    assert quoted.hold_id
    with pytest.raises(psycopg.Error):
        await parts.capacity.recorder.flush()
    async with parts.db.transaction() as connection:
        await connection.execute(b"ALTER TABLE hidden RENAME TO observability_events")
    assert len(await observed(parts)) == 2  # nothing was lost meanwhile


async def test_what_waits_is_written_by_itself_and_at_the_end(parts: Parts) -> None:
    recorder = Recorder(parts.db, parts.clock)
    recorder.record(events_capacity.HOLD_CREATED, number=1)
    async with parts.db.connection() as connection:
        async with asyncio.timeout(30):
            while not await list_observations(connection):
                await asyncio.sleep(0.05)
        recorder.record(events_capacity.HOLD_CREATED, number=2)
        await recorder.close()
        assert len(await list_observations(connection)) == 2
    assert recorder.dropped == 0
