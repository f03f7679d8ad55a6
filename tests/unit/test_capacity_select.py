"""The selector gives the answer of brute force, on every floor of up to twelve tables."""

from fractions import Fraction
from itertools import combinations
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from dibs.capacity.day import why_nothing
from dibs.capacity.floor_index import FloorIndex, index_floor
from dibs.capacity.model import Floor, Policy, Table, Wanted, Zone
from dibs.capacity.select import fits, mask_of, select

ZONES = tuple(Zone(UUID(int=900 + at), f"zone {at}") for at in range(3))


def table(at: int, capacity: int = 2, **changes: object) -> Table:
    fields: dict[str, object] = {"zone_id": ZONES[0].zone_id, "number": f"T{at}", **changes}
    return Table(table_id=UUID(int=at + 1), capacity=capacity, **fields)  # pyright: ignore[reportArgumentType] - test data


def floor_of(tables: list[Table], pairs: list[tuple[int, int]] | None = None) -> Floor:
    ids = [one.table_id for one in tables]
    return Floor(
        restaurant_id=UUID(int=1),
        slug="r",
        name="R",
        timezone="UTC",
        policy=Policy(),
        service_periods=(),
        zones=ZONES,
        tables=tuple(tables),
        adjacencies=tuple((ids[a], ids[b]) for a, b in pairs or []),
    )


@st.composite
def floors(draw: st.DrawFn) -> Floor:
    count = draw(st.integers(1, 12))
    tables: list[Table] = []
    for at in range(count):
        capacity = draw(st.integers(1, 6))
        tables.append(
            table(
                at,
                capacity,
                zone_id=draw(st.sampled_from(ZONES[:2])).zone_id,
                movable=draw(st.sampled_from([True, True, True, False])),
                active=draw(st.sampled_from([True, True, True, True, False])),
                min_party=draw(st.integers(1, 3)),
                max_party=draw(st.none() | st.integers(3, 6)),
            )
        )
    pairs = draw(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=24))
    return floor_of(tables, [(a, b) for a, b in pairs if a != b])


@st.composite
def wants(draw: st.DrawFn) -> tuple[Floor, Wanted, frozenset[UUID]]:
    floor = draw(floors())
    ids = [one.table_id for one in floor.tables]
    wanted = Wanted(
        party_size=draw(st.integers(1, 16)),
        max_tables=draw(st.integers(1, 5)),
        require_adjacency=draw(st.booleans()),
        zone_id=draw(st.none() | st.sampled_from([zone.zone_id for zone in ZONES])),
        avoid=frozenset(draw(st.lists(st.sampled_from(ids), max_size=2))),
    )
    return floor, wanted, frozenset(draw(st.lists(st.sampled_from(ids), max_size=4)))


def touching(floor: Floor, one: Table, other: Table) -> bool:
    pair = (one.table_id, other.table_id)
    return pair in floor.adjacencies or pair[::-1] in floor.adjacencies


def pairs_inside(floor: Floor, tables: tuple[Table, ...]) -> int:
    return sum(touching(floor, a, b) for a, b in combinations(tables, 2))


def connected(floor: Floor, tables: tuple[Table, ...]) -> bool:
    reached, frontier = {tables[0]}, [tables[0]]
    while frontier:
        here = frontier.pop()
        for other in tables:
            if other not in reached and touching(floor, here, other):
                reached.add(other)
                frontier.append(other)
    return len(reached) == len(tables)


def scarcity(floor: Floor, tables: tuple[Table, ...]) -> Fraction:
    mates = [t for t in floor.tables if t.active and t.zone_id == tables[0].zone_id]
    counts = {t.capacity: sum(m.capacity == t.capacity for m in mates) for t in mates}
    return sum((1 + Fraction(max(counts.values()), counts[t.capacity]) for t in tables), Fraction(0))


def feasible(floor: Floor, wanted: Wanted, busy: frozenset[UUID], tables: tuple[Table, ...]) -> bool:
    if any(not t.active or t.table_id in busy or t.table_id in wanted.avoid for t in tables):
        return False
    if wanted.zone_id and any(t.zone_id != wanted.zone_id for t in tables):
        return False
    if len({t.zone_id for t in tables}) > 1 or sum(t.capacity for t in tables) < wanted.party_size:
        return False
    if len(tables) == 1:
        one = tables[0]
        return one.min_party <= wanted.party_size <= (one.max_party or wanted.party_size)
    if not all(t.movable for t in tables):
        return False
    return not wanted.require_adjacency or connected(floor, tables)


def brute_force(floor: Floor, wanted: Wanted, busy: frozenset[UUID]) -> list[tuple[UUID, ...]]:
    found: list[tuple[Table, ...]] = []
    for size in range(1, wanted.max_tables + 1):
        for tables in combinations(sorted(floor.tables, key=lambda t: t.table_id), size):
            if feasible(floor, wanted, busy, tables) and not any(set(other) < set(tables) for other in found):
                found.append(tables)
    found.sort(
        key=lambda s: (
            len(s),
            sum(t.capacity for t in s) - wanted.party_size,
            scarcity(floor, s),
            -pairs_inside(floor, s),
            [t.table_id for t in s],
        )
    )
    return [tuple(t.table_id for t in s) for s in found]


@settings(max_examples=400, deadline=None)
@given(wants(), st.integers(1, 8))
def test_select_is_brute_force(case: tuple[Floor, Wanted, frozenset[UUID]], limit: int) -> None:
    floor, wanted, busy = case
    index = index_floor(floor)
    expected = brute_force(floor, wanted, busy)
    selection = select(index, wanted, mask_of(index, busy), limit)
    assert [c.table_ids for c in selection.candidates] == expected[:limit]
    assert fits(index, wanted, mask_of(index, busy)) is bool(expected)
    assert "work_limit" not in selection.skipped
    assert [c.score for c in selection.candidates] == sorted(c.score for c in selection.candidates)


@settings(max_examples=200, deadline=None)
@given(wants())
def test_reason_is_the_most_basic_that_applies(case: tuple[Floor, Wanted, frozenset[UUID]]) -> None:
    floor, wanted, busy = case
    if brute_force(floor, wanted, busy):
        return
    index = index_floor(floor)
    reason = why_nothing(index, wanted, 3, mask_of(index, busy))
    loose = Wanted(wanted.party_size, max(3, wanted.max_tables))
    if not brute_force(floor, loose, frozenset()):
        assert reason == "insufficient_capacity"
        return
    filtered = Wanted(wanted.party_size, wanted.max_tables, False, wanted.zone_id, wanted.avoid)
    if not brute_force(floor, filtered, frozenset()):
        assert reason == "insufficient_filtered_capacity"
        return
    unconnected_would_do = wanted.require_adjacency and (
        not brute_force(floor, wanted, frozenset()) or bool(brute_force(floor, filtered, busy))
    )
    assert reason == ("not_adjacent" if unconnected_would_do else "no_tables_free")


def chosen(index: FloorIndex, wanted: Wanted, limit: int = 4) -> list[tuple[str, ...]]:
    return [c.table_numbers for c in select(index, wanted, 0, limit).candidates]


def test_two_disjoint_adjacent_pairs_are_not_connected() -> None:
    floor = floor_of([table(at) for at in range(4)], [(0, 1), (2, 3)])
    index = index_floor(floor)
    assert chosen(index, Wanted(8, 4, require_adjacency=True)) == []
    assert why_nothing(index, Wanted(8, 4, require_adjacency=True), 3, 0) == "not_adjacent"
    assert select(index, Wanted(8, 4), 0).candidates[0].adjacency_status == "disconnected"


def test_adjacency_has_no_direction() -> None:
    tables = [table(at) for at in range(2)]
    for pair in [(0, 1), (1, 0)]:
        assert chosen(index_floor(floor_of(tables, [pair])), Wanted(4, 2, require_adjacency=True)) == [("T0", "T1")]


def test_a_path_is_connected_though_its_ends_do_not_touch() -> None:
    index = index_floor(floor_of([table(at) for at in range(3)], [(0, 1), (1, 2)]))
    best = select(index, Wanted(6, 3, require_adjacency=True), 0).candidates[0]
    assert (best.adjacency_status, best.adjacent_pairs) == ("connected", 2)


def test_a_rare_size_is_spared() -> None:
    """Both pairs seat seven exactly; the one that keeps the only three-top free wins."""
    sizes = [3, 4, 5, 2, 5, 2, 5, 2]
    index = index_floor(floor_of([table(at, seats) for at, seats in enumerate(sizes)]))
    assert chosen(index, Wanted(7, 2), 1) == [("T2", "T3")]


def test_skipped_says_how_many_and_why() -> None:
    tables = [
        table(0, 2),
        table(1, 4, active=False),
        table(2, 4),
        table(3, 4, min_party=4),
        table(4, 4),
        table(5, 4),
    ]
    index = index_floor(floor_of(tables))
    wanted = Wanted(3, 1, avoid=frozenset({tables[2].table_id}))
    selection = select(index, wanted, mask_of(index, frozenset({tables[4].table_id})))
    assert [c.table_numbers for c in selection.candidates] == [("T5",)]
    assert selection.skipped == {"inactive": 1, "avoided": 1, "taken": 1, "too_small": 1, "party_limits": 1}


def test_a_hostile_floor_costs_bounded_work() -> None:
    """200 tables that all touch one another have 2.5 billion sets of five."""
    pairs = list(combinations(range(200), 2))
    tables = [table(at, 1 + at % 40) for at in range(200)]
    index = index_floor(floor_of(tables, pairs))
    for adjacency in (True, False):
        selection = select(index, Wanted(180, 5, require_adjacency=adjacency), 0)
        assert selection.skipped["work_limit"] == 1
        assert all(c.total_capacity >= 180 for c in selection.candidates)
        assert selection.candidates
    assert fits(index, Wanted(180, 5), 0)


def test_nobody_wants_an_empty_table() -> None:
    index = index_floor(floor_of([table(0)]))
    for party in (0, -1):
        assert select(index, Wanted(party, 3), 0).candidates == ()
        assert why_nothing(index, Wanted(party, 3), 3, 0) == "invalid_party_size"
