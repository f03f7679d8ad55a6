"""A floor made ready for searching: tables as positions, neighbourhoods as bit masks.

Positions follow the table ids, so that comparing positions is comparing ids. Built once per floor version.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from operator import or_
from uuid import UUID

from dibs.capacity.model import Floor, Table, Zone


@dataclass(frozen=True, slots=True)
class FloorIndex:
    tables: tuple[Table, ...]
    zones: tuple[Zone, ...]
    position: dict[UUID, int]
    mask_of_text: dict[str, int]
    capacities: tuple[int, ...]
    neighbours: tuple[int, ...]
    adjacent: tuple[tuple[int, ...], ...]
    # scarcity × scarcity_scale, whole numbers: sums compare exactly in whatever order they are added
    scarcity: tuple[int, ...]
    scarcity_scale: int
    by_size: tuple[int, ...]
    # The first so many tables of `by_size`, as a mask
    smallest: tuple[int, ...]
    # Tables that refuse some parties although these would fit
    choosy: int
    zone_masks: dict[UUID, int]
    active: int
    movable: int


def index_floor(floor: Floor) -> FloorIndex:
    tables = tuple(sorted(floor.tables, key=lambda table: table.table_id))
    position = {table.table_id: at for at, table in enumerate(tables)}
    costs = [_scarcity(table, _active_sizes(tables, table.zone_id)) for table in tables]
    scale = lcm(*(cost.denominator for cost in costs))
    scarcity = tuple(int(cost * scale) for cost in costs)
    by_size = tuple(sorted(range(len(tables)), key=lambda at: (tables[at].capacity, scarcity[at], at)))
    neighbours = [0] * len(tables)
    for one, other in floor.adjacencies:
        neighbours[position[one]] |= 1 << position[other]
        neighbours[position[other]] |= 1 << position[one]
    return FloorIndex(
        tables=tables,
        zones=floor.zones,
        position=position,
        mask_of_text={str(table_id): 1 << at for table_id, at in position.items()},
        capacities=tuple(table.capacity for table in tables),
        neighbours=tuple(neighbours),
        adjacent=tuple(tuple(bits(mask)) for mask in neighbours),
        scarcity=scarcity,
        scarcity_scale=scale,
        by_size=by_size,
        smallest=tuple(accumulate((1 << at for at in by_size), or_, initial=0)),
        choosy=sum(1 << at for at, table in enumerate(tables) if table.min_party > 1 or table.max_party is not None),
        zone_masks={zone.zone_id: _mask(tables, zone.zone_id) for zone in floor.zones},
        active=sum(1 << at for at, table in enumerate(tables) if table.active),
        movable=sum(1 << at for at, table in enumerate(tables) if table.movable),
    )


def _active_sizes(tables: tuple[Table, ...], zone_id: UUID) -> Counter[int]:
    return Counter(table.capacity for table in tables if table.active and table.zone_id == zone_id)


def _scarcity(table: Table, sizes: Counter[int]) -> Fraction:
    """1 + (the commonest size's count / this size's count): rare sizes are dear."""
    if not table.active:
        return Fraction(1)
    return 1 + Fraction(max(sizes.values()), sizes[table.capacity])


def _mask(tables: tuple[Table, ...], zone_id: UUID) -> int:
    return sum(1 << at for at, table in enumerate(tables) if table.zone_id == zone_id)


def bits(mask: int) -> list[int]:
    """The positions set in a mask, ascending."""
    found: list[int] = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
