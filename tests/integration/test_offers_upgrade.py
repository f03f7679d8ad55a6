"""People who stood in line before lines had names stand in the same order after the upgrade, and are served."""

from __future__ import annotations

import psycopg
import pytest

from capacity_harness import table
from dibs.app import parts_on
from dibs.clock import FakeClock
from dibs.config import Config
from dibs.db import migrate as migrations
from line_harness import open_line
from signals_harness import run_sql

NAMED_SINCE = 10
BEFORE = """
INSERT INTO line_place (restaurant_id, topic, subscription_id, channel, address_key, party_size, earliest, latest,
                        service_date, rank, status, joined_at)
SELECT restaurant_id, 'place:' || n, n, 'webhook', 'a' || n, 2, '2026-03-02 18:00Z', '2026-03-02 18:00Z',
       '2026-03-02', 10 - n, 'waiting', '2026-03-02 12:00Z'
FROM restaurants, generate_series(1, 2) AS n
"""


@pytest.fixture
def empty(dsn: str) -> str:
    """The test's database with nothing in it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return dsn


async def test_places_keep_their_order_and_are_served(
    empty: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = [one for one in migrations.known() if one.number < NAMED_SINCE]
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "known", lambda: older)
        await migrations.migrate(empty)
    async with parts_on(empty, Config(), clock) as parts:
        await open_line(parts, table("A1", 2))
        await run_sql(parts.db, BEFORE)
        await migrations.migrate(empty)
        places = await parts.line.list_places()
        assert [(place.place_id, place.position) for place in places] == [(2, 1), (1, 2)]
        assert len({place.line_key for place in places}) == 1
        assert places[0].line_key.endswith(":2026-03-02")
        await parts.line.move(1, 1)
        await run_sql(parts.db, "SELECT ask_line(restaurant_id, NULL) FROM restaurants")
        await parts.usher.run_once()
        assert [place.status for place in await parts.line.list_places()] == ["offered", "waiting"]
        assert (await parts.line.get(1)).status == "offered"
