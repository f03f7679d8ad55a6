"""How long it takes from an opening to the notice that was accepted."""

from __future__ import annotations

from datetime import datetime

from dibs.db import Database
from dibs.notify import delivery_store
from dibs.notify.model import Latency

# Enough to be sure of a 95th percentile, few enough to be read every few seconds.
MOST = 5_000


async def measure_latency(database: Database, *, since: datetime) -> list[Latency]:
    """Per five minutes, after one line for all of them; nothing when nothing was sent."""
    async with database.connection() as connection:
        return await delivery_store.measure_latency(connection, since=since, most=MOST)
