"""The audit in the background: a batch at a time, around and around; it must find nothing, and sees what is wrong."""

from __future__ import annotations

import pytest

from api_client import calling
from dibs.parts import Parts
from dibs.signals.audit import BREATH_S, Audit
from dibs.signals.loops import loops
from dibs.signals.model import ProductKey
from dibs.telemetry import REGISTRY
from signals_harness import DAY, plan, put, run_sql


async def test_it_walks_over_everything_and_rests(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dibs.signals.audit.BATCH", 8)
    for number in range(2):
        await put(parts, plan("tiered"), ProductKey("parks", "camping", "lake", f"site-{number}"))
    walk = Audit(parts.db, parts.clock, 3600.0)
    assert [await walk.run_once() for _ in range(4)] == [BREATH_S, BREATH_S, 3600.0, BREATH_S]


async def test_what_is_wrong_is_told_as_an_event(parts: Parts) -> None:
    await put(parts)
    # Nobody can do this by changing inventory; only by writing into the cache itself.
    await run_sql(parts.db, "UPDATE availability_signal SET available = 9 WHERE date = %s", [DAY])
    told = {"event": "signals.drift.found"}
    before = REGISTRY.get_sample_value("dibs_events_total", told) or 0
    walk = Audit(parts.db, parts.clock, 3600.0)
    assert await walk.step() is False
    assert [(drift.date, drift.cached, drift.truth) for drift in walk.drifts] == [(DAY, 9, 10)]
    assert REGISTRY.get_sample_value("dibs_events_total", told) == before + 1


async def test_the_loops_of_a_worker(parts: Parts) -> None:
    names = [loop.name for loop in loops(parts.config, parts.db, parts.clock, parts.worker)]
    assert names == ["signals.schedule.1", "signals.schedule.2", "signals.expire", "signals.audit"]


async def test_the_dates_are_described_although_they_are_read_by_hand(parts: Parts) -> None:
    async with calling(parts, None) as client:
        document = (await client.get("/openapi.json")).json()
    path = "/api/products/{collection_id}/{activity_type}/{activity_id}/{product_id}/dates"
    operation = document["paths"][path]["get"]
    named = {parameter["name"]: parameter["in"] for parameter in operation["parameters"]}
    assert named == {
        "collection_id": "path",
        "activity_type": "path",
        "activity_id": "path",
        "product_id": "path",
        "from": "query",
        "to": "query",
        "fresh": "query",
        "limit": "query",
        "cursor": "query",
    }
    assert operation["security"]
    item = operation["responses"]["200"]["content"]["application/json"]["schema"]["properties"]["items"]["items"]
    assert item["$ref"].endswith("DateAnswer")
    assert {"Signal", "DateAnswer", "Tick", "Allocation"} <= set(document["components"]["schemas"])
