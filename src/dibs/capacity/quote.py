"""Quote: choose the best tables, hold them, and say what else there is.

One statement reads what is taken, one holds: the function in the database takes the first of our sets that is still
free, so losing a race to another quote costs no round trip.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from dibs.capacity import floor_store, hold_store
from dibs.capacity.context import Capacity, Ground
from dibs.capacity.day import SENTENCES, Day, next_times, why_nothing
from dibs.capacity.faults import attempt
from dibs.capacity.model import HOLD_TTL_S, Candidate, Floor, Placed, Reason, Wanted, Window
from dibs.capacity.select import Selection, select
from dibs.capacity.when import Occasion, Party, party_of
from dibs.capacity.windows import later_starts, sitting
from dibs.errors import Conflict, DibsError, Invalid, NotFound
from dibs.telemetry import events_capacity, metrics_capacity

ALTERNATES = 3
# The best, its alternates, and as many again that may be lost to others between reading and holding.
SETS = 8
# After this many rounds in which all of them were lost the caller is told so.
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Filters:
    zone_id: UUID | None = None
    max_tables: int | None = None
    require_adjacency: bool = False
    avoid_tables: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Quote:
    """`reason` is null when tables were held, else why not; `detail` says it to people."""

    hold_id: UUID | None
    expires_at: datetime | None
    window: Window
    zone_id: UUID | None
    candidate: Candidate | None
    alternates: tuple[Candidate, ...]
    next_times: tuple[datetime, ...]
    reason: Reason | None
    detail: str | None
    skipped: dict[str, int]


@dataclass(frozen=True, slots=True)
class Look:
    """One reading of the day and what the selector makes of it."""

    party: Party
    wanted: Wanted
    day: Day
    selection: Selection


async def quote(
    capacity: Capacity, occasion: Occasion, filters: Filters, *, held_by: str, ttl_s: int | None = None
) -> Quote:
    """Holds the best set there is. Nothing fits is an answer, not an error."""
    _check(filters, ttl_s)
    look = await _look(capacity, occasion, filters)
    placed: Placed | None = None
    lost = False
    for _ in range(ROUNDS):
        if not look.selection.sets:
            break
        placed = await _hold_first(capacity, look, held_by=held_by, ttl_s=ttl_s)
        if placed:
            break
        lost = True
        look = await _look(capacity, occasion, filters)
    answered = _answer(look, placed, lost=lost)
    _tell(capacity, look, answered, held_by)
    return answered


def _check(filters: Filters, ttl_s: int | None) -> None:
    if filters.max_tables is not None and not 1 <= filters.max_tables <= 5:
        raise Invalid("max_tables must be from 1 to 5.")
    if ttl_s is not None and not HOLD_TTL_S[0] <= ttl_s <= HOLD_TTL_S[1]:
        raise Invalid(f"hold_ttl_seconds must be from {HOLD_TTL_S[0]} to {HOLD_TTL_S[1]}.")


def ttl_of(capacity: Capacity, floor: Floor, ttl_s: int | None) -> int:
    return ttl_s or floor.policy.hold_ttl_s or capacity.settings.hold_ttl_s


async def _look(capacity: Capacity, occasion: Occasion, filters: Filters) -> Look:
    party, claims = await _read(capacity, occasion)
    ground = party.ground
    if filters.zone_id is not None and filters.zone_id not in ground.index.zone_masks:
        raise NotFound("There is no such zone in this restaurant.")
    wanted = Wanted(
        party_size=party.party_size,
        max_tables=filters.max_tables or ground.floor.policy.max_tables,
        require_adjacency=filters.require_adjacency,
        zone_id=filters.zone_id,
        avoid=filters.avoid_tables,
    )
    day = day_of(ground, claims)
    started = time.perf_counter()
    selection = select(ground.index, wanted, day.taken(party.sitting.blocked), SETS)
    metrics_capacity.SELECT_SECONDS.observe(time.perf_counter() - started)
    return Look(party, wanted, day, selection)


async def _read(capacity: Capacity, occasion: Occasion) -> tuple[Party, list[floor_store.Claims]]:
    """The party and what is taken, both of one version of the floor. The remembered floor saves a statement."""
    party = await party_of(capacity, occasion, fresh=False)
    while True:
        floor = party.ground.floor
        async with capacity.db.connection() as connection:
            version, claims = await floor_store.read_day(
                connection,
                restaurant_id=floor.restaurant_id,
                window=_until_end_of_service(party),
                now=capacity.clock.for_database(),
            )
        if version == floor.version:
            return party, claims
        party = await party_of(capacity, occasion, fresh=True)


def _until_end_of_service(party: Party) -> Window:
    """From the wanted start to the end of the last meal that could still begin in this service."""
    last = start = party.sitting.dining.start_at
    floor = party.ground.floor
    if party.period is not None:
        last = max(later_starts(party.period, start, floor.timezone), default=start)
    end = sitting(floor.policy, floor.timezone, max(party.party_size, 1), last).blocked.end_at
    return Window(party.sitting.blocked.start_at, max(end, party.sitting.blocked.end_at))


def day_of(ground: Ground, claims: list[floor_store.Claims]) -> Day:
    masks = ground.index.mask_of_text
    day: list[tuple[int, float, float]] = []
    for tables, start, end in claims:
        taken = 0
        for table in tables:
            # A table that is not on this floor any more can be claimed still.
            taken |= masks.get(table, 0)
        day.append((taken, start, end))
    return Day(day)


async def _hold_first(capacity: Capacity, look: Look, *, held_by: str, ttl_s: int | None) -> Placed | None:
    """The hold, or None when every set was lost since the day was read."""
    sets = look.selection.table_ids()
    try:
        return await place(capacity, look.party, look.wanted, sets, held_by=held_by, ttl_s=ttl_s)
    except Conflict as error:
        if error.code != "capacity_conflict":
            raise
    except Invalid:
        # The floor was changed since it was read: what we chose is no longer allowed.
        pass
    return None


async def place(
    capacity: Capacity,
    party: Party,
    wanted: Wanted,
    sets: list[tuple[UUID, ...]],
    *,
    held_by: str,
    ttl_s: int | None,
) -> Placed:
    async def work() -> Placed:
        async with capacity.db.connection() as connection:
            return await hold_store.place_hold(
                connection,
                sets=sets,
                party_size=party.party_size,
                sitting=party.sitting,
                ttl_s=ttl_of(capacity, party.ground.floor, ttl_s),
                held_by=held_by,
                booking_id=party.booking_id,
                require_adjacency=wanted.require_adjacency,
                max_per_token=capacity.settings.max_holds_per_token,
                max_per_booking=capacity.settings.max_holds_per_booking,
                now=capacity.clock.for_database(),
            )

    try:
        return await attempt(work)
    except DibsError as error:
        context = {"restaurant_id": party.ground.floor.restaurant_id, "booking_id": party.booking_id}
        capacity.refused(error, "place_hold", sets=len(sets), held_by=held_by, **context)
        raise


def _answer(look: Look, placed: Placed | None, *, lost: bool) -> Quote:
    selection = look.selection
    chosen = selection.candidate(placed.set_no - 1) if placed else None
    others = range(placed.set_no, min(placed.set_no + ALTERNATES, len(selection.sets))) if placed else ()
    reason = None if chosen else _reason(look, lost=lost)
    party = look.party
    later: list[datetime] = []
    if party.period is not None:
        start = party.sitting.dining.start_at
        later = next_times(party.ground.floor, party.ground.index, look.day, look.wanted, party.period, start)
    return Quote(
        hold_id=placed.hold_id if placed else None,
        expires_at=placed.expires_at if placed else None,
        window=party.sitting.blocked,
        zone_id=placed.zone_id if placed else None,
        candidate=chosen,
        alternates=tuple(selection.candidate(at) for at in others),
        next_times=tuple(later),
        reason=reason,
        detail=SENTENCES[reason] if reason else None,
        skipped=selection.skipped | ({"lost": placed.set_no - 1} if placed and placed.set_no > 1 else {}),
    )


def _reason(look: Look, *, lost: bool) -> Reason:
    if lost or look.selection.sets:
        return "hold_conflicts"
    ground = look.party.ground
    taken = look.day.taken(look.party.sitting.blocked)
    return why_nothing(ground.index, look.wanted, ground.floor.policy.max_tables, taken)


def _tell(capacity: Capacity, look: Look, answered: Quote, held_by: str) -> None:
    metrics_capacity.QUOTES.labels(answered.reason or "held").inc()
    about = {"restaurant_id": look.party.ground.floor.restaurant_id, "booking_id": look.party.booking_id}
    record: Callable[..., None] = capacity.recorder.record
    record(
        events_capacity.SELECTOR_QUOTE,
        party_size=look.party.party_size,
        window=[look.party.sitting.blocked.start_at, look.party.sitting.blocked.end_at],
        candidate=answered.candidate and _shown(answered.candidate),
        alternates=[_shown(one) for one in answered.alternates],
        next_times=list(answered.next_times),
        reason=answered.reason,
        skipped=answered.skipped,
        require_adjacency=look.wanted.require_adjacency,
        max_tables=look.wanted.max_tables,
        **about,
    )
    if answered.hold_id:
        tell_created(capacity, look.party, answered.hold_id, answered.expires_at, answered.candidate, held_by)


def tell_created(
    capacity: Capacity,
    party: Party,
    hold_id: UUID,
    expires_at: datetime | None,
    candidate: Candidate | None,
    held_by: str,
) -> None:
    capacity.recorder.record(
        events_capacity.HOLD_CREATED,
        restaurant_id=party.ground.floor.restaurant_id,
        booking_id=party.booking_id,
        hold_id=hold_id,
        expires_at=expires_at,
        tables=candidate and list(candidate.table_numbers),
        zone_id=candidate and candidate.zone_id,
        held_by=held_by,
    )


def _shown(candidate: Candidate) -> dict[str, object]:
    return {"tables": list(candidate.table_numbers), "score": candidate.score}
