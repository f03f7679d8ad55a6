"""What is wrong with a set of tables that a person chose: every check by itself, with a sentence. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from dibs.capacity.floor_index import FloorIndex
from dibs.capacity.merges import is_connected


@dataclass(frozen=True, slots=True)
class Check:
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Checks:
    same_zone: Check
    movable_for_merge: Check
    adjacency: Check
    conflict: Check
    capacity_enough: Check
    active: Check

    @property
    def ok(self) -> bool:
        return all(
            one.ok
            for one in (
                self.same_zone,
                self.movable_for_merge,
                self.adjacency,
                self.conflict,
                self.capacity_enough,
                self.active,
            )
        )


def check(index: FloorIndex, table_ids: list[UUID], party_size: int, taken: int, *, require_adjacency: bool) -> Checks:
    known = tuple(sorted({index.position[one] for one in table_ids if one in index.position}))
    unknown = sorted({str(one) for one in table_ids if one not in index.position})
    return Checks(
        same_zone=_same_zone(index, known),
        movable_for_merge=_movable(index, known),
        adjacency=_adjacency(index, known, require_adjacency=require_adjacency),
        conflict=_conflict(index, known, taken),
        capacity_enough=_enough(index, known, party_size),
        active=_active(index, known, unknown),
    )


def _numbers(index: FloorIndex, positions: list[int] | tuple[int, ...]) -> str:
    return ", ".join(index.tables[at].number for at in positions)


def _same_zone(index: FloorIndex, known: tuple[int, ...]) -> Check:
    zones = {index.tables[at].zone_id for at in known}
    if len(zones) > 1:
        return Check(False, "The tables stand in different zones; choose them from one.")
    return Check(True, "All tables stand in one zone.")


def _movable(index: FloorIndex, known: tuple[int, ...]) -> Check:
    fixed = [at for at in known if not index.tables[at].movable]
    if len(known) > 1 and fixed:
        return Check(False, f"{_numbers(index, fixed)} cannot be moved, so no other table can be added to it.")
    return Check(True, "The tables can be pushed together." if len(known) > 1 else "One table needs no moving.")


def _adjacency(index: FloorIndex, known: tuple[int, ...], *, require_adjacency: bool) -> Check:
    if len(known) <= 1:
        return Check(True, "One table has no neighbour to stand next to.")
    if is_connected(index, known):
        return Check(True, "The tables stand together.")
    if require_adjacency:
        return Check(False, "The tables do not all stand together; choose a connected set.")
    return Check(True, "The tables do not all stand together; that was not required.")


def _conflict(index: FloorIndex, known: tuple[int, ...], taken: int) -> Check:
    busy = [at for at in known if taken >> at & 1]
    if busy:
        return Check(False, f"{_numbers(index, busy)} is taken at that time.")
    return Check(True, "Nobody else has these tables at that time.")


def _enough(index: FloorIndex, known: tuple[int, ...], party_size: int) -> Check:
    if party_size < 1:
        return Check(False, "A party has at least one guest.")
    seats = sum(index.tables[at].capacity for at in known)
    if seats < party_size:
        return Check(False, f"The tables seat {seats}, the party is {party_size}.")
    largest = index.tables[known[0]].max_party if len(known) == 1 else None
    if largest is not None and largest < party_size:
        return Check(False, f"The table is for parties of at most {largest}, the party is {party_size}.")
    return Check(True, f"The tables seat {seats}, the party is {party_size}.")


def _active(index: FloorIndex, known: tuple[int, ...], unknown: list[str]) -> Check:
    if unknown:
        return Check(False, f"The restaurant has no table {', '.join(unknown)}.")
    idle = [at for at in known if not index.tables[at].active]
    if idle:
        return Check(False, f"{_numbers(index, idle)} is not in use.")
    return Check(True, "All tables are in use.")
