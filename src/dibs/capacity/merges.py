"""Sets of several tables, smallest first, none of which contains a smaller set that would do.

Two searches share one allowance of work, so that a hostile floor costs no more than a large one:
connected sets are grown table by table along the adjacency graph; any sets are first ranked by their sizes alone
(overage and scarcity depend on nothing else) and only then filled with the tables that touch most.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice

from dibs.capacity.floor_index import FloorIndex, bits

# One step is a microsecond or so; a floor of 200 tables in a grid needs about 2,000 for all connected triples.
WORK_LIMIT = 20_000

# (overage, scarcity, -adjacent pairs, positions): compares as numbers.md orders
Ranked = tuple[int, int, int, tuple[int, ...]]


@dataclass(slots=True)
class Work:
    left: int = WORK_LIMIT
    skipped: dict[str, int] = field(default_factory=dict[str, int])

    def spend(self, steps: int = 1) -> bool:
        self.left -= steps
        if self.left >= 0:
            return True
        self.skipped["work_limit"] = 1
        return False

    def share(self, part: int) -> Work:
        """A part of the allowance, so that one search cannot starve the next; what it skips is counted here."""
        taken = max(self.left, 0) // part
        self.left -= taken
        return Work(taken, self.skipped)

    def give_back(self, share: Work) -> None:
        self.left += max(share.left, 0)

    def skip(self, why: str) -> None:
        self.skipped[why] = self.skipped.get(why, 0) + 1


def adjacent_pairs(index: FloorIndex, positions: tuple[int, ...]) -> int:
    if len(positions) == 1:
        return 0
    mask = sum(1 << at for at in positions)
    return sum((index.neighbours[at] & mask).bit_count() for at in positions) // 2


def is_connected(index: FloorIndex, positions: tuple[int, ...]) -> bool:
    if len(positions) == 2:
        return bool(index.neighbours[positions[0]] >> positions[1] & 1)
    whole = sum(1 << at for at in positions)
    reached, frontier = 0, whole & -whole
    while frontier:
        reached |= frontier
        frontier = _around(index, frontier) & whole & ~reached
    return reached == whole


def _around(index: FloorIndex, mask: int) -> int:
    touched = 0
    for at in bits(mask):
        touched |= index.neighbours[at]
    return touched


def connected_sets(
    index: FloorIndex, pool: int, size: int, party: int, work: Work, most: int | None = None
) -> list[tuple[int, ...]]:
    """Every connected set of that size with room enough, each once; with `most` only the first so many."""
    if size == 2:
        return _pairs(index, pool, party, work)
    if size == 3:
        return _triples(index, pool, party, work)
    return list(islice(_grown(index, pool, size, party, work), most))


def _pairs(index: FloorIndex, pool: int, party: int, work: Work) -> list[tuple[int, ...]]:
    capacities = index.capacities
    found: list[tuple[int, ...]] = []
    for one in bits(pool):
        if not work.spend(len(index.adjacent[one])):
            break
        missing = party - capacities[one]
        found += [
            (one, other)
            for other in index.adjacent[one]
            if other > one and pool >> other & 1 and capacities[other] >= missing
        ]
    return found


def _triples(index: FloorIndex, pool: int, party: int, work: Work) -> list[tuple[int, ...]]:
    """Two neighbours around a middle; of three that all touch, only the smallest is the middle."""
    capacities, neighbours = index.capacities, index.neighbours
    found: list[tuple[int, ...]] = []
    for middle in bits(pool):
        around = [at for at in index.adjacent[middle] if pool >> at & 1]
        if not work.spend(1 + len(around) * (len(around) - 1) // 2):
            break
        for one, other in combinations(around, 2):
            if capacities[middle] + capacities[one] + capacities[other] < party:
                continue
            if neighbours[one] >> other & 1 and middle > one:
                continue
            if middle < one:
                found.append((middle, one, other))
            else:
                found.append((one, middle, other) if middle < other else (one, other, middle))
    return found


def _grown(index: FloorIndex, pool: int, size: int, party: int, work: Work) -> Iterator[tuple[int, ...]]:
    """Grown table by table, only by later tables than the first: so each set comes once."""
    largest = max((index.capacities[at] for at in bits(pool)), default=0)
    for first in bits(pool):
        later = pool & ~((2 << first) - 1)
        around = index.neighbours[first] & later
        yield from _grow(index, later, size, party, largest, work, [first], index.capacities[first], around, around)


def _grow(
    index: FloorIndex,
    later: int,
    size: int,
    party: int,
    largest: int,
    work: Work,
    chosen: list[int],
    seats: int,
    extension: int,
    touched: int,
) -> Iterator[tuple[int, ...]]:
    missing = size - len(chosen)
    if seats + missing * largest < party:
        return
    while extension:
        if not work.spend():
            return
        low = extension & -extension
        extension ^= low
        at = low.bit_length() - 1
        total = seats + index.capacities[at]
        if missing == 1:
            if total >= party:
                yield tuple(sorted([*chosen, at]))
            continue
        new = index.neighbours[at] & later & ~touched
        chosen.append(at)
        yield from _grow(
            index, later, size, party, largest, work, chosen, total, extension | (new & ~low), touched | new
        )
        chosen.pop()


def _rank(index: FloorIndex, positions: tuple[int, ...], party: int) -> Ranked:
    seats = sum(index.capacities[at] for at in positions)
    cost = sum(index.scarcity[at] for at in positions)
    return (seats - party, cost, -adjacent_pairs(index, positions), positions)


def connected_merges(index: FloorIndex, pool: int, size: int, party: int, limit: int, work: Work) -> list[Ranked]:
    """The best connected sets of one zone: for `require_adjacency`."""
    found: list[Ranked] = []
    for positions in connected_sets(index, pool, size, party, work):
        if size > 2 and _connected_without_one(index, positions, party):
            work.skip("dominated")
        else:
            found.append(_rank(index, positions, party))
    if not found and work.left < 0:
        found = [_rank(index, positions, party) for positions in _greedy_sets(index, pool, size, party)]
    return sorted(found)[:limit]


def _greedy_sets(index: FloorIndex, pool: int, size: int, party: int) -> set[tuple[int, ...]]:
    """Out of work: from every table take the largest neighbour each time, so that a set is found if one is near."""
    found: set[tuple[int, ...]] = set()
    for first in bits(pool):
        mask, around = 1 << first, index.neighbours[first] & pool
        while around and mask.bit_count() < size:
            best = max(bits(around), key=lambda at: (index.capacities[at], -at))
            mask |= 1 << best
            around = (around | index.neighbours[best] & pool) & ~mask
        positions = tuple(bits(mask))
        if len(positions) == size and sum(index.capacities[at] for at in positions) >= party:
            found.add(positions)
    return found


def _connected_without_one(index: FloorIndex, positions: tuple[int, ...], party: int) -> bool:
    """A smaller connected part that would do can always be grown to one table less, so only those are tried."""
    spare = sum(index.capacities[at] for at in positions) - party
    for at in positions:
        if index.capacities[at] > spare:
            continue
        rest = tuple(other for other in positions if other != at)
        if is_connected(index, rest):
            return True
    return False


def any_merges(index: FloorIndex, pool: int, size: int, party: int, limit: int, work: Work) -> list[Ranked]:
    """The best sets of one zone, touching or not."""
    touching = _touching_by_rank(index, pool, size, party, work)
    found: list[Ranked] = []
    for rank, mixes in _mixes_by_rank(index, pool, size, party, work):
        if len(found) >= limit:
            break
        group = touching.get(rank, [])
        # Of three tables or fewer a connected set always touches in more pairs than any other.
        if size > 3 or len(group) < limit:
            for mix in mixes:
                group += _fill(index, pool, mix, party, limit, work)
        found += sorted(set(group))
    return found[:limit]


def _touching_by_rank(
    index: FloorIndex, pool: int, size: int, party: int, work: Work
) -> dict[tuple[int, int], list[Ranked]]:
    grouped: dict[tuple[int, int], list[Ranked]] = {}
    share = work.share(3)
    for positions in connected_sets(index, pool, size, party, share):
        ranked = _rank(index, positions, party)
        if size == 2 or ranked[0] < min(index.capacities[at] for at in positions):
            grouped.setdefault(ranked[:2], []).append(ranked)
    work.give_back(share)
    return grouped


def _mixes_by_rank(
    index: FloorIndex, pool: int, size: int, party: int, work: Work
) -> list[tuple[tuple[int, int], list[tuple[int, ...]]]]:
    """Which sizes to put together, best first. A mix that could spare its smallest table is dominated."""
    costs = {index.capacities[at]: index.scarcity[at] for at in bits(pool)}
    counts: dict[int, int] = {}
    for at in bits(pool):
        counts[index.capacities[at]] = counts.get(index.capacities[at], 0) + 1
    sizes = sorted(counts, reverse=True)
    grouped: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    share = work.share(2)
    for mix in _mixes(sizes, counts, 0, size, party, (), 0, share):
        overage = sum(mix) - party
        if size > 2 and overage >= mix[-1]:
            work.skip("dominated")
            continue
        grouped.setdefault((overage, sum(costs[seats] for seats in mix)), []).append(mix)
    work.give_back(share)
    return sorted(grouped.items())


def _mixes(
    sizes: list[int],
    counts: dict[int, int],
    start: int,
    missing: int,
    party: int,
    mix: tuple[int, ...],
    seats: int,
    work: Work,
) -> Iterator[tuple[int, ...]]:
    if missing == 0:
        if seats >= party:
            yield mix
        return
    for at in range(start, len(sizes)):
        size = sizes[at]
        if seats + missing * size < party or not work.spend():
            return
        if mix.count(size) < counts[size]:
            yield from _mixes(sizes, counts, at, missing - 1, party, (*mix, size), seats + size, work)


def _fill(index: FloorIndex, pool: int, mix: tuple[int, ...], party: int, limit: int, work: Work) -> list[Ranked]:
    """The sets of one mix that touch most, then those with the smallest ids; tried in the order of ids."""
    open_places: dict[int, int] = {}
    for seats in mix:
        open_places[seats] = open_places.get(seats, 0) + 1
    members = [at for at in bits(pool) if index.capacities[at] in open_places]
    inside = sum(1 << at for at in members)
    links = sum((index.neighbours[at] & inside).bit_count() for at in members) // 2
    search = _Filling(index, members, len(mix), limit, min(links, len(mix) * (len(mix) - 1) // 2), work)
    search.descend(0, (), 0, 0, dict(open_places))
    found = [_rank(index, positions, party) for _, positions in search.best]
    return found or [_rank(index, _smallest_ids(index, members, open_places), party)]


def _smallest_ids(index: FloorIndex, members: list[int], open_places: dict[int, int]) -> tuple[int, ...]:
    """Out of work: the first tables of each size, touching or not."""
    chosen: list[int] = []
    for at in members:
        if open_places[index.capacities[at]] > 0:
            open_places[index.capacities[at]] -= 1
            chosen.append(at)
    return tuple(chosen)


@dataclass(slots=True)
class _Filling:
    index: FloorIndex
    members: list[int]
    size: int
    limit: int
    most_links: int
    work: Work
    best: list[tuple[int, tuple[int, ...]]] = field(default_factory=list[tuple[int, tuple[int, ...]]])

    def descend(self, start: int, chosen: tuple[int, ...], mask: int, touching: int, places: dict[int, int]) -> None:
        if len(chosen) == self.size:
            self._keep(touching, chosen)
            return
        for at in range(start, len(self.members)):
            if self._hopeless(len(chosen), touching) or not self.work.spend():
                return
            position = self.members[at]
            seats = self.index.capacities[position]
            if places[seats] == 0:
                continue
            places[seats] -= 1
            more = (self.index.neighbours[position] & mask).bit_count()
            self.descend(at + 1, (*chosen, position), mask | 1 << position, touching + more, places)
            places[seats] += 1

    def _hopeless(self, chosen: int, touching: int) -> bool:
        """Later sets have larger ids, so they must touch in more pairs than the worst of those kept."""
        if len(self.best) < self.limit:
            return False
        possible = touching + (self.size * (self.size - 1) - chosen * (chosen - 1)) // 2
        return min(possible, self.most_links) <= self.best[-1][0]

    def _keep(self, touching: int, chosen: tuple[int, ...]) -> None:
        place = bisect_left(self.best, (-touching, chosen), key=lambda kept: (-kept[0], kept[1]))
        self.best.insert(place, (touching, chosen))
        del self.best[self.limit :]
