"""`sight`: recording demand, against a bare upsert of the same row.

The floor is one prepared INSERT … ON CONFLICT DO UPDATE that counts the sighting, on one connection. Ours also
finds out how the request stands, decides, counts the decision and says what follows. Both write durably.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

from bench.harness import Bench, Result
from dibs.demand.decide import Sighting
from dibs.demand.model import Reason, Wanted
from dibs.places.geo import Point
from dibs.places.model import EntityType
from dibs.telemetry import configure_logs

TERMS = 100
UPSERT = b"""
INSERT INTO collection_request AS known (term, term_key, entity_type, reason, location_key, run_location_key,
                                         first_seen_at, last_seen_at)
VALUES (%(term)s, %(term)s, 'restaurant', 'unresolved', %(place)s, %(place)s, %(now)s, %(now)s)
ON CONFLICT ON CONSTRAINT collection_request_once DO UPDATE
SET occurrence_count = known.occurrence_count + 1, last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)
RETURNING request_id, status
"""


async def run(bench: Bench) -> list[Result]:
    sightings = bench.sized(200, 50)
    configure_logs("warning", "json")
    async with bench.parts() as parts, bench.connection() as bare:
        bare.prepare_threshold = 0
        await parts.communities.put("austinfood", Point(30.27, -97.74), posts_per_day=50)
        here = Sighting(3, 12.0, "austinfood")
        # Each side has terms of its own, all seen before: what is measured is a sighting, not the first of its kind.
        for n in range(TERMS):
            await parts.sight([Wanted(f"kitchen {n}", EntityType.RESTAURANT, Reason.UNRESOLVED)], here)
        turns = itertools.count()

        async def ours() -> int:
            for _ in range(sightings):
                term = f"kitchen {next(turns) % TERMS}"
                told = await parts.sight([Wanted(term, EntityType.RESTAURANT, Reason.UNRESOLVED)], here)
                assert told.targets
            return sightings

        async def floor() -> int:
            for _ in range(sightings):
                term = f"bare {next(turns) % TERMS}"
                cursor = await bare.execute(UPSERT, {"term": term, "place": "austinfood", "now": datetime.now(UTC)})
                assert await cursor.fetchone()
            return sightings

        value, lowest = await bench.compare(ours, floor, rounds=7)
    return [Result("sight", value, "sightings/s", floor=lowest, at_least=0.5)]
