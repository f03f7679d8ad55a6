"""Which tables a party should get: pure, deterministic, explained.

Feasible sets in one order over all zones: fewest tables, least overage, lowest scarcity, most adjacent pairs,
smallest ids. A set that contains a smaller feasible one is never offered.
"""

from __future__ import annotations

from bisect import bisect_left
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
from dibs.capacity.model import AdjacencyStatus, Candidate, Selection, Wanted


def select(index: FloorIndex, wanted: Wanted, taken: int, limit: int = 4) -> Selection:
    """The best `limit` sets among the tables whose bit in `taken` is not set."""
    work = Work()
    found: list[tuple[int, ...]] = []
    if wanted.party_size > 0:
        usable = usable_tables(index, wanted) & ~taken
        found = [(at,) for at in _singles(index, wanted, usable, limit)]
        pool = usable & index.movable & ~_fitting_singles(index, wanted, usable)
        for size in range(2, wanted.max_tables + 1):
            if len(found) >= limit:
                break
            found += _merges(index, wanted, pool, size, limit - len(found), work)
    skipped = _skipped(index, wanted, taken) | work.skipped
    return Selection(tuple(describe(index, positions, wanted.party_size) for positions in found), skipped)


def fits(index: FloorIndex, wanted: Wanted, taken: int) -> bool:
    """Whether any set would do: the question of `next_times` and of the reasons, at a fraction of the cost."""
    if wanted.party_size < 1:
        return False
    usable = usable_tables(index, wanted) & ~taken
    if any(True for _ in _singles(index, wanted, usable, 1)):
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


def _singles(index: FloorIndex, wanted: Wanted, usable: int, limit: int) -> list[int]:
    """Least overage first is smallest first, which is how `by_size` is sorted."""
    start = bisect_left(index.by_size, wanted.party_size, key=lambda at: index.capacities[at])
    found: list[int] = []
    for at in index.by_size[start:]:
        if len(found) == limit:
            break
        if usable >> at & 1 and _party_allowed(index, at, wanted.party_size):
            found.append(at)
    return found


def _party_allowed(index: FloorIndex, at: int, party: int) -> bool:
    table = index.tables[at]
    return table.min_party <= party and (table.max_party is None or party <= table.max_party)


def _fitting_singles(index: FloorIndex, wanted: Wanted, usable: int) -> int:
    return sum(1 << at for at in _singles(index, wanted, usable, len(index.tables)))


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
    return any(True for size in enough for _ in connected_sets(index, pool, size, wanted.party_size, work))


def _skipped(index: FloorIndex, wanted: Wanted, taken: int) -> dict[str, int]:
    """Why single tables were passed over; sets of several add `dominated` and `work_limit`."""
    usable = usable_tables(index, wanted)
    free = usable & ~taken
    in_zone = index.zone_masks.get(wanted.zone_id, 0) if wanted.zone_id else (1 << len(index.tables)) - 1
    small = sum(1 << at for at in index.by_size[: _first_fitting(index, wanted.party_size)])
    limited = sum(1 << at for at in bits(free & ~small) if not _party_allowed(index, at, wanted.party_size))
    return {
        "inactive": (in_zone & ~index.active).bit_count(),
        "avoided": (in_zone & index.active & ~usable).bit_count(),
        "taken": (usable & taken).bit_count(),
        "too_small": (free & small).bit_count(),
        "party_limits": limited.bit_count(),
    }


def _first_fitting(index: FloorIndex, party: int) -> int:
    return bisect_left(index.by_size, party, key=lambda at: index.capacities[at])


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
