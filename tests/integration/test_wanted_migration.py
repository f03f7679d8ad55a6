"""A database that has the migration after ours gets ours all the same, and keeps what it holds."""

from __future__ import annotations

import psycopg
import pytest

from dibs.db import migrate as module
from dibs.db.migrate import known, migrate

NUMBER = 8
BEFORE = """
INSERT INTO collection_request (term, term_key, entity_type, reason, occurrence_count, first_seen_at, last_seen_at)
VALUES ('Uchi', 'uchi', 'restaurant', 'unresolved', 40, now(), now())
"""


async def test_a_number_that_was_left_out_is_made_up_for(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    everything = known()
    with monkeypatch.context() as patched:
        patched.setattr(module, "known", lambda: [one for one in everything if one.number != NUMBER])
        await migrate(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(BEFORE)
    assert [one.number for one in await migrate(dsn)] == [NUMBER]
    with psycopg.connect(dsn, autocommit=True) as connection:
        # What was counted before has no days: the window begins with the upgrade.
        found = connection.execute(
            "SELECT occurrence_count, sightings_within(seen_counts, seen_on, '2026-03-02', 7) FROM collection_request"
        ).fetchone()
    assert found == (40, 0)
    assert await migrate(dsn) == []
