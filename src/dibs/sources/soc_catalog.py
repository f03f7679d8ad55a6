"""The catalog of a schedule of classes: courses.json, about 21 MB of it."""

from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Raw, Struct

from dibs.sources.body import LONGEST_KEY, decoded
from dibs.sources.soc import INDEX

MAX_CATALOG = 64 * 1024 * 1024
"""The document is larger than what any other answer may be."""
TO_BE_ANNOUNCED = "TBA"


class Meeting(Struct):
    meetingDay: str | None = None  # noqa: N815 -- the provider's names
    startTimeMilitary: str | None = None  # noqa: N815
    endTimeMilitary: str | None = None  # noqa: N815
    campusAbbrev: str | None = None  # noqa: N815
    buildingCode: str | None = None  # noqa: N815
    roomNumber: str | None = None  # noqa: N815


class Instructor(Struct):
    name: str | None = None


class Section(Struct):
    index: str
    number: str | None = None
    openStatus: bool | None = None  # noqa: N815
    instructors: list[Instructor] | None = None
    meetingTimes: list[Meeting] | None = None  # noqa: N815


class Course(Struct):
    courseString: str  # noqa: N815
    title: str
    sections: list[Raw]
    credits: Any = None
    subjectDescription: Any = None  # noqa: N815


@dataclass(frozen=True, slots=True)
class CatalogSection:
    """One section as people know it."""

    index_number: str
    course_string: str
    title: str
    section: str
    meetings: str
    details: dict[str, Any]
    is_open: bool | None


@dataclass(frozen=True, slots=True)
class Catalog:
    sections: dict[str, CatalogSection]
    skipped: int


COURSES = msgspec.json.Decoder(list[Raw])
COURSE = msgspec.json.Decoder(Course)
SECTION = msgspec.json.Decoder(Section)


def read_catalog(body: bytes) -> Catalog:
    """Every readable section; raises `msgspec.DecodeError` when the document is none."""
    sections: dict[str, CatalogSection] = {}
    skipped = 0
    for raw in decoded(COURSES.decode, body):
        try:
            course = decoded(COURSE.decode, bytes(raw))
        except msgspec.DecodeError:
            skipped += 1
            continue
        for entry in course.sections:
            try:
                section = decoded(SECTION.decode, bytes(entry))
            except msgspec.DecodeError:
                skipped += 1
                continue
            if not INDEX.fullmatch(section.index):
                skipped += 1
                continue
            sections[section.index] = _known(course, section)
    return Catalog(sections, skipped)


def _known(course: Course, section: Section) -> CatalogSection:
    instructors = [one.name for one in section.instructors or [] if one.name]
    details = {
        "credits": course.credits if isinstance(course.credits, int | float) else None,
        "subject": course.subjectDescription if isinstance(course.subjectDescription, str) else None,
        "instructors": instructors,
    }
    return CatalogSection(
        index_number=section.index,
        course_string=course.courseString[:LONGEST_KEY],
        title=course.title.strip(),
        section=section.number or "",
        meetings=meeting_summary(section.meetingTimes or []),
        details=details,
        is_open=section.openStatus,
    )


def meeting_summary(meetings: list[Meeting]) -> str:
    """`H 15:50-17:10 LIV TIL 254; …`; a meeting without a time is left out, and none at all is TBA."""
    shown = [_meeting(one) for one in meetings if one.meetingDay and one.startTimeMilitary and one.endTimeMilitary]
    return "; ".join(shown) or TO_BE_ANNOUNCED


def _meeting(meeting: Meeting) -> str:
    times = f"{_clock(meeting.startTimeMilitary)}-{_clock(meeting.endTimeMilitary)}"
    place = (meeting.campusAbbrev, meeting.buildingCode, meeting.roomNumber)
    return " ".join([meeting.meetingDay or "", times, *(part for part in place if part)])


def _clock(military: str | None) -> str:
    digits = (military or "").zfill(4)
    return f"{digits[:2]}:{digits[2:]}"
