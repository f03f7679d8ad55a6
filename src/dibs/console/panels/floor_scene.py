"""A floor at a chosen moment of a chosen day, as the plan, the timeline and the list show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from dibs.capacity import floor_claims, read_floor
from dibs.capacity.model import Floor, FloorClaim, Table, Window, Zone
from dibs.capacity.windows import period_of
from dibs.console.components import cell_status, cell_time, cell_two, iso
from dibs.console.page import View

CELL = (84, 86)
# How long after the last start people still sit.
LAST_MEAL = timedelta(minutes=90)


@dataclass(frozen=True)
class Scene:
    """What is looked at, and what was found there."""

    floor: Floor
    day: date
    at: datetime
    span: Window
    claims: list[FloorClaim]

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.floor.timezone)

    def now_on(self) -> dict[UUID, FloorClaim]:
        """The claim of each table at the moment."""
        return {claim.table_id: claim for claim in self.claims if claim.start_at <= self.at < claim.end_at}

    def share(self, moment: datetime) -> float:
        """Where a moment lies in the day, in percent."""
        whole = (self.span.end_at - self.span.start_at).total_seconds()
        return round(100 * (moment - self.span.start_at).total_seconds() / whole, 2)


async def look(view: View, restaurant: str, day: date | None, at: time | None) -> Scene:
    """Reads the floor and the claims of the day; without a day or time, now, or the first start while it is closed."""
    floor = await read_floor(view.parts.capacity, restaurant)
    here = ZoneInfo(floor.timezone)
    now = view.parts.clock.now().astimezone(here).replace(second=0, microsecond=0)
    chosen = day or now.date()
    span = _span(floor, chosen, here)
    moment = datetime.combine(chosen, at or now.time(), tzinfo=here)
    if at is None and period_of(floor.service_periods, moment, floor.timezone) is None:
        moment = span.start_at
    claims = await floor_claims(view.parts.capacity, floor, span)
    return Scene(floor, chosen, moment, span, claims)


def moment_of(scene: Scene) -> str:
    """Which moment the plan shows, in the words of the place."""
    return f"The plan shows {scene.at:%A %d %B %Y, %H:%M}, the time in {scene.floor.timezone}."


def _span(floor: Floor, day: date, here: ZoneInfo) -> Window:
    starts = [datetime.combine(day, period.start, tzinfo=here) for period in floor.service_periods]
    ends = [
        datetime.combine(day + timedelta(days=period.end <= period.start), period.end, tzinfo=here)
        for period in floor.service_periods
    ]
    return Window(min(starts), max(ends) + LAST_MEAL)


def plan_of(scene: Scene, picked: set[str]) -> list[dict[str, Any]]:
    """The zones with their tables, each in its place."""
    taken = scene.now_on()
    shown: list[dict[str, Any]] = []
    for zone in scene.floor.zones:
        tables = [table for table in scene.floor.tables if table.zone_id == zone.zone_id]
        if tables:
            shown.append(_zone(zone, tables, taken, picked))
    return shown


def _zone(zone: Zone, tables: list[Table], taken: dict[UUID, FloorClaim], picked: set[str]) -> dict[str, Any]:
    places = _places(tables)
    columns, rows = sorted({x for x, _ in places}), sorted({y for _, y in places})
    return {
        "id": str(zone.zone_id),
        "name": zone.name,
        "width": min(len(columns), 14) * CELL[0],
        "height": min(len(rows), 12) * CELL[1],
        "tables": [
            _table(table, _percent(x, columns), _percent(y, rows), taken.get(table.table_id), picked)
            for table, (x, y) in zip(tables, places, strict=True)
        ],
    }


def _places(tables: list[Table]) -> list[tuple[float, float]]:
    """Where the document puts them; without places, in rows."""
    places = [(table.x, table.y) for table in tables]
    known = [(x, y) for x, y in places if x is not None and y is not None]
    if len(known) == len(tables) and len(set(known)) == len(tables):
        return known
    across = min(8, len(tables))
    return [(float(at % across), float(at // across)) for at in range(len(tables))]


def _percent(value: float, values: list[float]) -> float:
    """Half a cell from either edge, and in between as far as it stands."""
    edge = 50 / len(values)
    if len(values) == 1:
        return 50.0
    return round(edge + (100 - 2 * edge) * (value - values[0]) / (values[-1] - values[0]), 2)


def _table(table: Table, left: float, top: float, claim: FloorClaim | None, picked: set[str]) -> dict[str, Any]:
    state = "idle" if not table.active else "free" if claim is None else _state(claim)
    words = {"idle": "not in use", "free": "free"}.get(state) or f"{state}, party of {claim.party_size if claim else 0}"
    until = iso(claim.expires_at) if claim and claim.expires_at else None
    return {
        "id": str(table.table_id),
        "number": table.number,
        "seats": table.capacity,
        "left": left,
        "top": top,
        "state": state,
        "label": f"Table {table.number}, {table.capacity} seats, {words}",
        "until": until,
        "picked": str(table.table_id) in picked,
    }


def _state(claim: FloorClaim) -> str:
    return "held" if claim.resource_type == "hold" else "booked"


def timeline_of(scene: Scene) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]], float]:
    """The sentence, the hours, the rows and the chosen moment."""
    bars: dict[UUID, list[dict[str, Any]]] = {}
    for claim in scene.claims:
        bars.setdefault(claim.table_id, []).append(_bar(scene, claim))
    rows = [
        {"id": str(table.table_id), "number": table.number, "bars": bars.get(table.table_id, [])}
        for table in scene.floor.tables
    ]
    booked = sum(claim.resource_type == "booking" for claim in scene.claims)
    held = len(scene.claims) - booked
    label = f"{scene.day:%A %d %B}: {booked} tables booked and {held} held; the list below names them."
    return label, _hours(scene), rows, scene.share(scene.at)


def _hours(scene: Scene) -> list[dict[str, Any]]:
    first = scene.span.start_at.replace(minute=0, second=0, microsecond=0)
    hours = [first + timedelta(hours=at) for at in range(1, 30)]
    return [
        {"left": scene.share(hour), "text": f"{hour.astimezone(scene.zone):%H:%M}"}
        for hour in hours
        if scene.span.start_at < hour < scene.span.end_at
    ]


def _bar(scene: Scene, claim: FloorClaim) -> dict[str, Any]:
    left, right = max(0.0, scene.share(claim.start_at)), min(100.0, scene.share(claim.end_at))
    return {
        "id": f"{claim.booking_id or claim.hold_id}",
        "left": left,
        "width": round(right - left, 2),
        "state": _state(claim),
        "text": f"{claim.party_size} guests",
        "title": f"{_state(claim)}, {claim.party_size} guests, {_clock(scene, claim)}",
        "until": iso(claim.expires_at) if claim.expires_at else None,
    }


def _clock(scene: Scene, claim: FloorClaim) -> str:
    return f"{claim.start_at.astimezone(scene.zone):%H:%M}–{claim.end_at.astimezone(scene.zone):%H:%M}"


def claims_of(scene: Scene) -> list[dict[str, Any]]:
    """One row for each booking or hold, with its tables."""
    numbers = {table.table_id: table.number for table in scene.floor.tables}
    rows: dict[str, dict[str, Any]] = {}
    for claim in scene.claims:
        key = f"{claim.resource_type}:{claim.booking_id or claim.hold_id}"
        tables = [*rows[key]["_tables"], numbers.get(claim.table_id, "?")] if key in rows else [numbers[claim.table_id]]
        rows[key] = {
            "key": key,
            "_tables": tables,
            "tables": " + ".join(tables),
            "party": claim.party_size,
            "time": cell_two(_clock(scene, claim), f"{claim.start_at.astimezone(scene.zone):%a %d %b}"),
            "state": cell_status(claim.booking_status or "held"),
            "left": cell_time(claim.expires_at, "countdown"),
            "_actions": ["release", "confirm"] if claim.resource_type == "hold" else ["cancel"],
        }
    return list(rows.values())
