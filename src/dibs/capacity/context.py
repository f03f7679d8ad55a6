"""What every verb of capacity stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from dibs.capacity import booking_store, floor_store
from dibs.capacity.floor_index import FloorIndex, index_floor
from dibs.capacity.model import Booking, Floor
from dibs.capacity.recorder import Recorder
from dibs.clock import Clock
from dibs.config.sections import Capacity as Settings
from dibs.db import Database
from dibs.errors import Conflict, DibsError, Gone, NotFound
from dibs.telemetry import events_capacity, metrics_capacity

MOST_FLOORS = 1000


@dataclass(frozen=True, slots=True)
class Ground:
    """A floor and its index, as of one version."""

    floor: Floor
    index: FloorIndex


class Capacity:
    """Database, clock, limits, telemetry, and the floors this process has seen."""

    def __init__(self, db: Database, clock: Clock, settings: Settings) -> None:
        self.db = db
        self.clock = clock
        self.settings = settings
        self.recorder = Recorder(db, clock)
        self._grounds: dict[str, Ground] = {}

    async def ground(self, slug: str, *, fresh: bool = True) -> Ground:
        """The floor now, or, when not `fresh`, as last seen: then its version must be compared with what is read."""
        if not fresh and slug in self._grounds:
            return self._grounds[slug]
        async with self.db.connection() as connection:
            floor = await floor_store.read_floor(connection, slug=slug)
        if floor is None:
            raise NotFound(f"There is no restaurant {slug!r}; PUT /api/restaurants/{slug}/floor makes one.")
        known = self._grounds.get(slug)
        if known and known.floor.version == floor.version and known.floor.restaurant_id == floor.restaurant_id:
            return known
        if len(self._grounds) >= MOST_FLOORS:
            self._grounds.clear()
        self._grounds[slug] = ground = Ground(floor, index_floor(floor))
        return ground

    async def booking(self, booking_id: UUID) -> Booking:
        async with self.db.connection() as connection:
            booking = await booking_store.find_booking(connection, booking_id=booking_id)
        if booking is None:
            raise NotFound("There is no such booking.")
        return booking

    def refused(self, error: DibsError, call: str, **context: Any) -> None:
        """Tells of a lost race or a hold that came too late; other errors are the caller's own."""
        if isinstance(error, Conflict | Gone):
            metrics_capacity.CONFLICTS.labels(error.code).inc()
            self.recorder.record(events_capacity.RPC_CONFLICT, call=call, code=error.code, **context)

    async def close(self) -> None:
        await self.recorder.close()
