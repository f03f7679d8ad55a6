"""Which tables a party should get: pure, deterministic, explained.

Feasible sets in one order over all zones: fewest tables, least overage, lowest scarcity, most adjacent pairs,
smallest ids. A set that contains a smaller feasible one is never offered.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from uuid import UUID

from dibs.capacity.floor_index import FloorIndex, bits
from dibs.capacity.merges import (
    Ranked,
    Work,
    adjacent_pairs,
    any_merges,
    connected_merges,
    connected_sets,
    is_connected,
)
from dibs.capacity.model import AdjacencyStatus, Candidate, Wanted


@dataclass(frozen=True, slots=True)
class Selection:
    """The best sets in order, as positions, and how many tables and sets were passed over for which reason."""

    index: FloorIndex
    sets: tuple[tuple[int, ...], ...]
    party_size: int
    skipped: dict[str, int]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return tuple(describe(self.index, positions, self.party_size) for positions in self.sets)

    def candidate(self, at: int) -> Candidate:
        return describe(self.index, self.sets[at], self.party_size)

    def table_ids(self) -> list[tuple[UUID, ...]]:
        return [tuple(self.index.tables[at].table_id for at in positions) for positions in self.sets]


def select(index: FloorIndex, wanted: Wanted, taken: int, limit: int = 4) -> Selection:
    """The best `limit` sets among the tables whose bit in `taken` is not set."""
    work = Work()
    party = wanted.party_size
    usable = usable_tables(index, wanted)
    free = usable & ~taken
    first = _first_fitting(index, party)
    large = free & ~index.smallest[first]
    refusing = _refusing(index, party, large)
    found: list[tuple[int, ...]] = []
    if party > 0:
        found = [(at,) for at in _singles(index, large & ~refusing, first, limit)]
        pool = free & index.movable & ~(large & ~refusing)
        for size in range(2, wanted.max_tables + 1):
            if len(found) >= limit:
                break
            found += _merges(index, wanted, pool, size, limit - len(found), work)
    in_zone = index.zone_masks.get(wanted.zone_id, 0) if wanted.zone_id else index.smallest[-1]
    skipped = {
        "inactive": (in_zone & ~index.active).bit_count(),
        "avoided": (in_zone & index.active & ~usable).bit_count(),
        "taken": (usable & taken).bit_count(),
        "too_small": (free & ~large).bit_count(),
        "party_limits": refusing.bit_count(),
        **work.skipped,
    }
    return Selection(index, tuple(found), party, skipped)


def fits(index: FloorIndex, wanted: Wanted, taken: int) -> bool:
    """Whether any set would do: the question of `next_times` and of the reasons, at a fraction of the cost."""
    if wanted.party_size < 1:
        return False
    usable = usable_tables(index, wanted) & ~taken
    large = usable & ~index.smallest[_first_fitting(index, wanted.party_size)]
    if large & ~_refusing(index, wanted.party_size, large):
        return True
    pool = usable & index.movable
    return any(_merge_fits(index, wanted, pool & mask) for mask in index.zone_masks.values())


def usable_tables(index: FloorIndex, wanted: Wanted) -> int:
    usable = index.active
    if wanted.zone_id is not None:
        usable &= index.zone_masks.get(wanted.zone_id, 0)
    for table_id in wanted.avoid:
        if table_id in index.position:
            usable &= ~(1 << index.position[table_id])
    return usable


def _singles(index: FloorIndex, fitting: int, first: int, limit: int) -> list[int]:
    """Least overage first is smallest first, which is how `by_size` is sorted."""
    found: list[int] = []
    if fitting:
        for at in index.by_size[first:]:
            if fitting >> at & 1:
                found.append(at)
                if len(found) == limit:
                    break
    return found


def _first_fitting(index: FloorIndex, party: int) -> int:
    """Where in `by_size` the tables begin that seat the party."""
    return bisect_left(index.by_size, party, key=index.capacities.__getitem__)


def _refusing(index: FloorIndex, party: int, tables: int) -> int:
    """Those of the tables that seat the party and are not meant for it."""
    refusing = 0
    for at in bits(tables & index.choosy):
        table = index.tables[at]
        if party < table.min_party or (table.max_party is not None and party > table.max_party):
            refusing |= 1 << at
    return refusing


def _merges(index: FloorIndex, wanted: Wanted, pool: int, size: int, limit: int, work: Work) -> list[tuple[int, ...]]:
    search = connected_merges if wanted.require_adjacency else any_merges
    ranked: list[Ranked] = []
    for mask in index.zone_masks.values():
        if pool & mask:
            ranked += search(index, pool & mask, size, wanted.party_size, limit, work)
    return [positions for *_, positions in sorted(ranked)[:limit]]


def _merge_fits(index: FloorIndex, wanted: Wanted, pool: int) -> bool:
    seats = sorted((index.capacities[at] for at in bits(pool)), reverse=True)
    sizes = range(2, min(wanted.max_tables, len(seats)) + 1)
    enough = [size for size in sizes if sum(seats[:size]) >= wanted.party_size]
    if not wanted.require_adjacency:
        return bool(enough)
    work = Work()
    return any(connected_sets(index, pool, size, wanted.party_size, work, most=1) for size in enough)


def describe(index: FloorIndex, positions: tuple[int, ...], party: int) -> Candidate:
    tables = [index.tables[at] for at in positions]
    seats = sum(table.capacity for table in tables)
    scarcity = sum(index.scarcity[at] for at in positions) / index.scarcity_scale
    pairs = adjacent_pairs(index, positions)
    return Candidate(
        zone_id=tables[0].zone_id,
        table_ids=tuple(table.table_id for table in tables),
        table_numbers=tuple(table.number for table in tables),
        total_capacity=seats,
        overage=seats - party,
        scarcity=round(scarcity, 6),
        adjacent_pairs=pairs,
        adjacency_status=adjacency_status(index, positions),
        # One number that sorts like the order above, for people and dashboards; lower is better.
        score=round(len(tables) * 1e6 + (seats - party) * 1e3 + scarcity - pairs * 1e-6, 6),
    )


def adjacency_status(index: FloorIndex, positions: tuple[int, ...]) -> AdjacencyStatus:
    if len(positions) == 1:
        return "single"
    return "connected" if is_connected(index, positions) else "disconnected"


def mask_of(index: FloorIndex, table_ids: frozenset[UUID]) -> int:
    return sum(1 << index.position[table_id] for table_id in table_ids if table_id in index.position)
