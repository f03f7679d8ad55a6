"""Reads the document of `PUT …/floor`: everything that is wrong with it, at once, each with its place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from typing import Any
from zoneinfo import available_timezones

from dibs.capacity.model import DINNER, HOLD_TTL_S, LUNCH, MAX_TABLES, Policy, ServicePeriod
from dibs.errors import Invalid

LOCAL_TIME = re.compile(r"^([01]\d|2[0-3]):[0-5]\d$")
LONGEST_NAME = 200
MOST_TABLES = 2000
# With a turn and both buffers a table is blocked for less than the half day that the schema allows.
LONGEST_TURN_MIN = 480
LONGEST_BUFFER_MIN = 120
# A floor that was read may be sent back: what only we write is passed over.
OURS = {"slug", "floor_version", "restaurant_id", "zone_id", "table_id", "state", "displaced", "at"}


@dataclass(frozen=True, slots=True)
class TableDocument:
    number: str
    capacity: int
    min_party: int
    max_party: int | None
    mobility: str
    active: bool
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class ZoneDocument:
    name: str
    tables: tuple[TableDocument, ...]


@dataclass(frozen=True, slots=True)
class FloorDocument:
    name: str
    timezone: str
    policy: Policy
    service_periods: tuple[ServicePeriod, ...]
    zones: tuple[ZoneDocument, ...]
    adjacencies: tuple[tuple[str, str], ...]


class _Reader:
    """One object of the document. A wrong value is noted and stands in as its default."""

    def __init__(self, value: Any, place: str, problems: list[dict[str, str]]) -> None:
        self.place = place
        self.problems = problems
        self.fields: dict[str, Any] = {}
        if isinstance(value, dict):
            self.fields = {str(key): one for key, one in value.items() if key not in OURS}
        else:
            self.note("", "must be an object")
        self._known: set[str] = set()

    def note(self, field: str, problem: str) -> None:
        self.problems.append({"field": ".".join(filter(None, [self.place, field])), "problem": problem})

    def take(self, name: str) -> Any:
        self._known.add(name)
        return self.fields.get(name)

    def text(self, name: str, fallback: str | None = None) -> str:
        value = self.take(name)
        if value is None and fallback is not None:
            return fallback
        if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME or "\x00" in value:
            self.note(name, f"must be a text of 1 to {LONGEST_NAME} characters")
            return ""
        return value.strip()

    def whole(self, name: str, low: int, high: int, fallback: int | None = None, *, needed: bool = False) -> int | None:
        value = self.take(name)
        if value is None and not needed:
            return fallback
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.note(name, f"must be a whole number from {low} to {high}")
            return fallback
        return value

    def number(self, name: str) -> float | None:
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.note(name, "must be a number")
            return None
        return float(value)

    def yes(self, name: str, fallback: bool) -> bool:
        value = self.take(name)
        if value is None:
            return fallback
        if not isinstance(value, bool):
            self.note(name, "must be true or false")
        return bool(value)

    def choice(self, name: str, options: tuple[str, ...]) -> str:
        value = self.take(name)
        if value not in options:
            self.note(name, f"must be one of {', '.join(options)}")
            return options[0]
        return str(value)

    def local_time(self, name: str) -> time:
        value = self.take(name)
        if not isinstance(value, str) or not LOCAL_TIME.match(value):
            self.note(name, "must be a time of day like 17:00")
            return time(0)
        return time.fromisoformat(value)

    def items(self, name: str, *, needed: bool = False) -> list[Any] | None:
        value = self.take(name)
        if value is None and not needed:
            return None
        if not isinstance(value, list):
            self.note(name, "must be a list")
            return None
        return value

    def each(self, name: str, *, needed: bool = False) -> list[_Reader]:
        place = ".".join(filter(None, [self.place, name]))
        found = self.items(name, needed=needed) or []
        return [_Reader(one, f"{place}[{at}]", self.problems) for at, one in enumerate(found)]

    def refuse_others(self) -> None:
        for name in sorted(set(self.fields) - self._known):
            self.note(name, "is not a known key")


def read_document(value: Any) -> FloorDocument:
    """The document, or one error that lists every problem of it."""
    problems: list[dict[str, str]] = []
    reader = _Reader(value, "", problems)
    zones = tuple(_zone(zone) for zone in reader.each("zones", needed=True))
    document = FloorDocument(
        name=reader.text("name"),
        timezone=_timezone(reader),
        policy=_policy(_Reader({} if reader.take("policy") is None else reader.take("policy"), "policy", problems)),
        service_periods=_periods(reader),
        zones=zones,
        adjacencies=_adjacencies(reader, {table.number for zone in zones for table in zone.tables}),
    )
    reader.refuse_others()
    _note_repeats(document, reader)
    if problems:
        named = "; ".join(f"{one['field'] or 'the document'} {one['problem']}" for one in problems[:5])
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise Invalid(f"The floor has {len(problems)} problem(s): {named}{more}.", fields=problems)
    return document


def _timezone(reader: _Reader) -> str:
    name = reader.text("timezone")
    if name and name not in available_timezones():
        reader.note("timezone", "must be an IANA time zone like Europe/London")
    return name


def _policy(reader: _Reader) -> Policy:
    usual = Policy()
    policy = Policy(
        turn_minutes=_turn_minutes(reader),
        buffer_before_min=reader.whole("buffer_before_min", 0, LONGEST_BUFFER_MIN, usual.buffer_before_min) or 0,
        buffer_after_min=_or(reader.whole("buffer_after_min", 0, LONGEST_BUFFER_MIN), usual.buffer_after_min),
        hold_ttl_s=reader.whole("hold_ttl_s", *HOLD_TTL_S),
        max_tables=reader.whole("max_tables", 1, MAX_TABLES, usual.max_tables) or usual.max_tables,
    )
    reader.refuse_others()
    return policy


def _or(value: int | None, usual: int) -> int:
    return usual if value is None else value


def _turn_minutes(reader: _Reader) -> dict[int, int]:
    given = reader.take("turn_minutes")
    if given is None:
        return {}
    if not isinstance(given, dict):
        reader.note("turn_minutes", 'must be an object like {"2": 60, "4": 75}')
        return {}
    bands = _Reader(given, f"{reader.place}.turn_minutes", reader.problems)
    minutes: dict[int, int] = {}
    for size in bands.fields:
        if not re.fullmatch(r"[1-9]\d{0,2}", size):
            bands.note(size, "must be a party size")
            continue
        minutes[int(size)] = bands.whole(size, 5, LONGEST_TURN_MIN, needed=True) or 0
    return minutes


def _periods(reader: _Reader) -> tuple[ServicePeriod, ...]:
    if reader.fields.get("service_periods") is None:
        reader.take("service_periods")
        return (LUNCH, DINNER)
    periods: list[ServicePeriod] = []
    for period in reader.each("service_periods"):
        periods.append(ServicePeriod(period.text("name"), period.local_time("start"), period.local_time("end")))
        period.refuse_others()
    if reader.fields["service_periods"] == []:
        reader.note("service_periods", "must have at least one period, or be left out for lunch and dinner")
    return tuple(periods)


def _zone(reader: _Reader) -> ZoneDocument:
    zone = ZoneDocument(reader.text("name"), tuple(_table(table) for table in reader.each("tables", needed=True)))
    reader.refuse_others()
    return zone


def _table(reader: _Reader) -> TableDocument:
    low = reader.whole("min_party", 1, 1000, 1) or 1
    table = TableDocument(
        number=reader.text("number"),
        capacity=reader.whole("capacity", 1, 1000, 1, needed=True) or 1,
        min_party=low,
        max_party=reader.whole("max_party", 1, 1000),
        mobility=reader.choice("mobility", ("movable", "fixed")),
        active=reader.yes("active", True),
        x=reader.number("x"),
        y=reader.number("y"),
    )
    if table.max_party is not None and table.max_party < low:
        reader.note("max_party", "must not be less than min_party")
    reader.refuse_others()
    return table


def _adjacencies(reader: _Reader, numbers: set[str]) -> tuple[tuple[str, str], ...]:
    pairs: dict[tuple[str, str], None] = {}
    for at, pair in enumerate(reader.items("adjacencies") or []):
        place = f"adjacencies[{at}]"
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            reader.note(place, 'must be two table numbers like ["A1", "A2"]')
            continue
        one, other = str(pair[0]).strip(), str(pair[1]).strip()
        for number in sorted({one, other} - numbers):
            reader.note(place, f"names the table {number!r}, which is not on this floor")
        if one == other:
            reader.note(place, "names one table twice")
        pairs[min((one, other), (other, one))] = None
    return tuple(pairs)


def _note_repeats(document: FloorDocument, reader: _Reader) -> None:
    numbers = [table.number for zone in document.zones for table in zone.tables]
    _repeats(reader, "zones", [zone.name for zone in document.zones], lambda name: f"has the zone {name!r} twice")
    _repeats(reader, "zones", numbers, lambda number: f"has the table number {number!r} twice")
    if len(numbers) > MOST_TABLES:
        reader.note("zones", f"has {len(numbers)} tables; {MOST_TABLES} are the most")


def _repeats(reader: _Reader, field: str, names: list[str], sentence: Callable[[str], str]) -> None:
    for name in sorted({name for name in names if name and names.count(name) > 1}):
        reader.note(field, sentence(name))
