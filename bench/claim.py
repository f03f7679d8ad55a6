"""`claim`: claim and settle 500 due items through `work/`, against the same two statements run bare.

The floor prepares the very text that `work/` sends and executes it on one connection with ready parameters, so
the ratio is what the lease mechanism costs around the statements: a token, building parameters, reading keys.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from psycopg.rows import tuple_row

from bench.harness import Bench, Result
from dibs.work import Queue, claim, settle
from dibs.work.lease import statement_of

BATCH = 500
QUEUE = Queue(table="bench_item", key="item_id", key_type="bigint")
TABLE = """
CREATE TABLE bench_item (
    item_id bigint PRIMARY KEY, due_at timestamptz, lease_token uuid, lease_until timestamptz, leased_by text,
    payload text NOT NULL
) WITH (fillfactor = 70)
"""
ROWS = """
INSERT INTO bench_item (item_id, due_at, payload)
SELECT n, timestamptz '2020-01-01' + n * interval '1 s', repeat('x', 120) FROM generate_series(1, {rows}) AS n
"""
INDEX = "CREATE INDEX bench_item_due ON bench_item (due_at)"
LATER = datetime(2020, 1, 2, tzinfo=UTC)


async def run(bench: Bench) -> list[Result]:
    rows = bench.sized(100_000, 5_000)
    batches = bench.sized(20, 3)
    await bench.fill(TABLE, ROWS.format(rows=rows), INDEX)
    async with bench.parts() as parts:

        async def ours() -> int:
            for _ in range(batches):
                async with parts.db.transaction() as connection:
                    claimed = await claim(connection, QUEUE, limit=BATCH, lease_s=60, worker="bench", now=None)
                async with parts.db.transaction() as connection:
                    held = await settle(connection, QUEUE, claimed.token, dict.fromkeys(claimed.keys, LATER))
                assert len(held) == BATCH
            return batches

        async with bench.connection() as bare:
            bare.prepare_threshold = 0

            async def floor() -> int:
                for _ in range(batches):
                    token = uuid4()
                    keys = await _bare(
                        bare, "claim", {"limit": BATCH, "lease_s": 60, "worker": "bench", "now": None, "token": token}
                    )
                    held = await _bare(bare, "settle", {"token": token, "keys": keys, "due": [LATER] * len(keys)})
                    assert len(held) == BATCH
                return batches

            value, lowest = await bench.compare(ours, floor, rounds=7)
    return [Result("claim", value * BATCH, "items/s", floor=lowest * BATCH, at_least=0.6)]


async def _bare(connection: Any, name: str, values: dict[str, Any]) -> list[Any]:
    async with connection.transaction(), connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute(statement_of(QUEUE, name), values)
        return [row[0] for row in await cursor.fetchall()]
