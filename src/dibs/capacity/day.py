"""What is taken on a floor over a stretch of time, read once and asked many times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from dibs.capacity.floor_index import FloorIndex
from dibs.capacity.model import Floor, Reason, ServicePeriod, Wanted, Window
from dibs.capacity.select import fits
from dibs.capacity.windows import later_starts, sitting

NEXT_TIMES = 3


@dataclass(frozen=True, slots=True)
class Day:
    """Claims as (mask of the tables, start, end), times in seconds since 1970."""

    claims: Sequence[tuple[int, float, float]]

    def taken(self, window: Window) -> int:
        start, end = window.start_at.timestamp(), window.end_at.timestamp()
        mask = 0
        for tables, claimed_from, claimed_to in self.claims:
            if claimed_from < end and start < claimed_to:
                mask |= tables
        return mask


def next_times(
    floor: Floor, index: FloorIndex, day: Day, wanted: Wanted, period: ServicePeriod, start_at: datetime
) -> list[datetime]:
    """The first three later quarter hours of this service at which the party fits."""

    def fitting() -> Iterable[datetime]:
        for later in later_starts(period, start_at, floor.timezone):
            blocked = sitting(floor.policy, floor.timezone, wanted.party_size, later).blocked
            if fits(index, wanted, day.taken(blocked)):
                yield later

    # A party that fits nowhere on the empty floor fits at no time; the steps are spared.
    return list(islice(fitting(), NEXT_TIMES)) if fits(index, wanted, 0) else []


def why_nothing(index: FloorIndex, wanted: Wanted, policy_max_tables: int, taken: int) -> Reason:
    """The most basic of the reasons that apply: what no waiting would change comes first."""
    if wanted.party_size < 1:
        return "invalid_party_size"
    anywhere = Wanted(wanted.party_size, max(policy_max_tables, wanted.max_tables))
    loose = replace(wanted, require_adjacency=False)
    if not fits(index, anywhere, 0):
        return "insufficient_capacity"
    if not fits(index, loose, 0):
        return "insufficient_filtered_capacity"
    if wanted.require_adjacency and (not fits(index, wanted, 0) or fits(index, loose, taken)):
        return "not_adjacent"
    return "no_tables_free"


SENTENCES: dict[Reason, str] = {
    "invalid_party_size": "A party has at least one guest; send a positive party_size.",
    "insufficient_capacity": "No allowed set of tables seats this party, even on an empty floor.",
    "insufficient_filtered_capacity": "Zone, avoided tables or max_tables leave no set large enough; widen them.",
    "not_adjacent": "Only tables that do not stand together would fit; allow those or choose another time.",
    "no_tables_free": "Everything that would fit is taken at that time; see next_times.",
    "hold_conflicts": "Every fitting set was taken by somebody else meanwhile; ask again.",
}
