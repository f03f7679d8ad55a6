"""A schedule of classes: open sections per term and campus, and the catalog of courses."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import web

from dibs.sim.faults import Fault, Faults, respond
from dibs.sim.server import SimServer

TITLES = ("INTRO COMPUTER SCI", "CALCULUS II", "GENERAL BIOLOGY", "EXPOSITORY WRITING", "WORLD HISTORY")
DAYS = "MTWHFSU"


@dataclass(slots=True)
class SocWorld:
    """The truth: per (term, campus) the sections that exist and whether they are open."""

    sections: dict[tuple[str, str], dict[str, bool]] = field(default_factory=dict[tuple[str, str], dict[str, bool]])
    uncatalogued: set[str] = field(default_factory=set[str])
    faults: Faults = field(default_factory=Faults)
    catalog_faults: Faults = field(default_factory=Faults)
    dice: random.Random = field(default_factory=lambda: random.Random(13))  # noqa: S311 -- a world that can be repeated

    def fill(self, term: str, campus: str, sections: int, share_open: float = 0.8) -> None:
        there = self.sections.setdefault((term, campus), {})
        for number in range(1, sections + 1):
            there[f"{number:05d}"] = self.dice.random() < share_open

    def opens(self, term: str, campus: str, index: str) -> None:
        self.sections.setdefault((term, campus), {})[index] = True

    def closes(self, term: str, campus: str, index: str) -> None:
        self.sections[(term, campus)][index] = False

    def move(self, term: str, campus: str, count: int) -> None:
        """A few seats change hands."""
        there = self.sections[(term, campus)]
        for index in self.dice.sample(sorted(there), count):
            there[index] = not there[index]

    def open_indexes(self, term: str, campus: str) -> list[str]:
        return [index for index, is_open in self.sections.get((term, campus), {}).items() if is_open]

    async def _open_sections(self, request: web.Request) -> web.StreamResponse:
        fault = self.faults.next()
        target = _asked(request)
        if target is None:
            return web.Response(status=400, text="<h1>Bad Request</h1>", content_type="text/html")
        indexes = self.open_indexes(*target)
        # The real list has no order.
        self.dice.shuffle(indexes)
        answer: list[Any] = [] if fault is Fault.EMPTY else list(indexes)
        if fault is Fault.PARTIAL:
            answer = list(self.faults.kept(indexes))
        if fault is Fault.BAD_RECORD:
            answer = [*answer, 17, None]
        return await respond(self.faults, fault, msgspec.json.encode(answer), request)

    async def _courses(self, request: web.Request) -> web.StreamResponse:
        fault = self.catalog_faults.next()
        target = _asked(request)
        if target is None:
            return web.Response(status=400, text="<h1>Bad Request</h1>", content_type="text/html")
        courses: list[Any] = self.courses(*target)
        if fault is Fault.BAD_RECORD:
            courses.insert(0, {"courseString": None, "sections": "none"})
        return await respond(self.catalog_faults, fault, msgspec.json.encode(courses), request)

    def courses(self, term: str, campus: str) -> list[dict[str, Any]]:
        there = self.sections.get((term, campus), {})
        by_course: dict[int, list[str]] = {}
        for index in sorted(set(there) - self.uncatalogued):
            by_course.setdefault(int(index) // 3, []).append(index)
        return [_course(number, indexes, there, campus) for number, indexes in sorted(by_course.items())]

    @asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[SimServer]:
        routes = {("GET", "/openSections.json"): self._open_sections, ("GET", "/courses.json"): self._courses}
        async with SimServer(routes).running(port) as server:
            yield server


def _asked(request: web.Request) -> tuple[str, str] | None:
    year, term, campus = (request.query.get(name) for name in ("year", "term", "campus"))
    if not year or not term or not campus or not year.isdigit():
        return None
    return f"{term}{year}", campus


def _course(number: int, indexes: list[str], there: dict[str, bool], campus: str) -> dict[str, Any]:
    course = f"01:198:{number % 1000:03d}"
    return {
        "courseString": course,
        "subject": "198",
        "courseNumber": f"{number % 1000:03d}",
        "offeringUnitCode": "01",
        "title": TITLES[number % len(TITLES)],
        "credits": 4 if number % 9 else None,
        "school": {"code": "01", "description": "School of Arts and Sciences"},
        "campusCode": campus,
        "openSections": sum(there[index] for index in indexes),
        "subjectDescription": "Computer Science",
        "sections": [
            _section(index, position, is_open=there[index], campus=campus) for position, index in enumerate(indexes, 1)
        ],
    }


def _section(index: str, position: int, *, is_open: bool, campus: str) -> dict[str, Any]:
    number = int(index)
    asynchronous = number % 7 == 0
    meeting = {
        "meetingDay": "" if asynchronous else DAYS[number % 5],
        "startTimeMilitary": "" if asynchronous else "1550",
        "endTimeMilitary": "" if asynchronous else "1710",
        "meetingModeDesc": "LEC",
        "campusAbbrev": "LIV",
        "buildingCode": "TIL",
        "roomNumber": "254",
    }
    return {
        "index": index,
        "number": f"{position:02d}",
        "openStatus": is_open,
        "openStatusText": "OPEN" if is_open else "CLOSED",
        "campusCode": campus,
        "instructors": [{"name": "DOE, J"}],
        "meetingTimes": [meeting],
    }
