"""Holds by hand: check chosen tables, hold them, extend, release, list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from dibs.capacity import floor_store, hold_store
from dibs.capacity.context import Capacity
from dibs.capacity.faults import attempt
from dibs.capacity.model import HOLD_TTL_S, Candidate, Hold, Wanted, Window
from dibs.capacity.quote import day_of, place, tell_created
from dibs.capacity.select import describe
from dibs.capacity.validate import Checks, check
from dibs.capacity.when import Occasion, Party, party_of
from dibs.errors import DibsError, Invalid, NotFound
from dibs.telemetry import events_capacity

MOST_TABLES = 20


@dataclass(frozen=True, slots=True)
class ManualHold:
    hold_id: UUID
    expires_at: datetime
    window: Window
    zone_id: UUID
    candidate: Candidate


async def validate(
    capacity: Capacity, occasion: Occasion, table_ids: list[UUID], *, require_adjacency: bool = False
) -> Checks:
    """What a hold of these tables would be refused for, each check by itself; nothing is held."""
    _check_count(table_ids)
    party = await party_of(capacity, occasion)
    async with capacity.db.connection() as connection:
        _, claims = await floor_store.read_day(
            connection,
            restaurant_id=party.ground.floor.restaurant_id,
            window=party.sitting.blocked,
            now=capacity.clock.for_database(),
        )
    taken = day_of(party.ground, claims).taken(party.sitting.blocked)
    return check(party.ground.index, table_ids, party.party_size, taken, require_adjacency=require_adjacency)


async def hold_tables(
    capacity: Capacity,
    occasion: Occasion,
    table_ids: list[UUID],
    *,
    held_by: str,
    require_adjacency: bool = False,
    ttl_s: int | None = None,
) -> ManualHold:
    """Holds exactly these tables."""
    _check_count(table_ids)
    _check_seconds(ttl_s)
    party = await party_of(capacity, occasion)
    if party.party_size < 1:
        raise Invalid("A party has at least one guest; send a positive party_size.")
    chosen = tuple(sorted(set(table_ids)))
    _check_known(party, chosen)
    wanted = Wanted(party.party_size, len(chosen), require_adjacency)
    placed = await place(capacity, party, wanted, [chosen], held_by=held_by, ttl_s=ttl_s)
    candidate = _candidate(party, chosen)
    tell_created(capacity, party, placed.hold_id, placed.expires_at, candidate, held_by)
    return ManualHold(placed.hold_id, placed.expires_at, party.sitting.blocked, placed.zone_id, candidate)


def _check_count(table_ids: list[UUID]) -> None:
    if not 1 <= len(table_ids) <= MOST_TABLES:
        raise Invalid(f"table_ids must name 1 to {MOST_TABLES} tables.")


def _check_seconds(seconds: int | None) -> None:
    if seconds is not None and not HOLD_TTL_S[0] <= seconds <= HOLD_TTL_S[1]:
        raise Invalid(f"A hold lasts from {HOLD_TTL_S[0]} to {HOLD_TTL_S[1]} seconds.")


def _check_known(party: Party, chosen: tuple[UUID, ...]) -> None:
    unknown = [str(table_id) for table_id in chosen if table_id not in party.ground.index.position]
    if unknown:
        raise NotFound(f"{party.ground.floor.slug} has no table {', '.join(unknown)}.")


def _candidate(party: Party, chosen: tuple[UUID, ...]) -> Candidate:
    position = party.ground.index.position
    return describe(party.ground.index, tuple(sorted(position[one] for one in chosen)), party.party_size)


async def extend_hold(capacity: Capacity, hold_id: UUID, seconds: int) -> Hold:
    """Makes a live hold last for so many seconds from now."""
    _check_seconds(seconds)

    async def work() -> datetime:
        async with capacity.db.connection() as connection:
            now = capacity.clock.for_database()
            return await hold_store.extend_hold(connection, hold_id=hold_id, seconds=seconds, now=now)

    try:
        await attempt(work)
    except DibsError as error:
        capacity.refused(error, "extend_hold", hold_id=hold_id)
        raise
    return await get_hold(capacity, hold_id)


async def release_hold(capacity: Capacity, hold_id: UUID) -> None:
    """Gives the tables back; again, or too late, it changes nothing."""

    async def work() -> bool:
        async with capacity.db.connection() as connection:
            return await hold_store.release_hold(connection, hold_id=hold_id, now=capacity.clock.for_database())

    try:
        released = await attempt(work)
    except DibsError as error:
        capacity.refused(error, "release_hold", hold_id=hold_id)
        raise
    if released:
        capacity.recorder.record(events_capacity.HOLD_RELEASED, hold_id=hold_id)


async def get_hold(capacity: Capacity, hold_id: UUID) -> Hold:
    async with capacity.db.connection() as connection:
        hold = await hold_store.find_hold(connection, hold_id=hold_id, now=capacity.clock.for_database())
    if hold is None:
        raise NotFound("There is no such hold.")
    return hold


async def list_holds(
    capacity: Capacity,
    *,
    restaurant: str | None = None,
    booking_id: UUID | None = None,
    after: tuple[datetime, UUID] | None = None,
    limit: int = 100,
) -> list[Hold]:
    """The live holds, those that expire first in front."""
    async with capacity.db.connection() as connection:
        return await hold_store.list_holds(
            connection,
            restaurant=restaurant,
            booking_id=booking_id,
            after=after,
            limit=limit,
            now=capacity.clock.for_database(),
        )
