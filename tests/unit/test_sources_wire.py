"""Wire formats in their odd corners."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dibs.config import JsonProvider, ResyProvider
from dibs.errors import CannotStart, Invalid
from dibs.sources import Answer, Failure, Observation, build_source
from dibs.sources.body import source_hash
from dibs.sources.resy import ResySource
from dibs.sources.resy_pages import MOST_PAGES_KNOWN, PagesKnown
from dibs.sources.soc import normal_term
from dibs.sources.soc_catalog import Meeting, meeting_summary, read_catalog

SOURCE = ResySource("resy", ResyProvider(party_sizes=[2]))
TARGET = SOURCE.target({"date": "2026-10-22", "time_slot": "20:30"})


def read(*hits: Any) -> Observation:
    body = msgspec.json.encode({"search": {"hits": list(hits)}})
    seen = SOURCE.read(Answer((body,), "", ("2/1",)), TARGET)
    assert not isinstance(seen, Failure), seen
    return seen


def hit(*starts: Any, identity: Any = 7) -> dict[str, Any]:
    return {"id": identity, "name": "X", "availability": {"slots": [{"date": {"start": one}} for one in starts]}}


def test_a_start_has_one_way_to_be_written():
    seen = read(hit("2026-10-22 20:00:00", "2026-10-22T20:00:00", "2026-10-22 20:00"))
    assert set(seen.found) == {"7|2026-10-22 20:00:00"}


@pytest.mark.parametrize("start", ["2026-13-45 99:99:99", "soon", "", None, 7])
def test_a_start_that_is_none_is_counted(start: Any):
    seen = read(hit("2026-10-22 20:00:00", start))
    assert set(seen.found) == {"7|2026-10-22 20:00:00"}
    assert seen.skipped == 1


def test_the_end_of_time_is_no_stumbling_block():
    seen = read(hit("9999-12-31 23:59:59"))
    assert seen.describe("7|9999-12-31 23:59:59").starts_at is None


@pytest.mark.parametrize("identity", [None, "", {"resy": None}, [], "x" * 600])
def test_a_venue_without_a_name_is_counted(identity: Any):
    seen = read(hit("2026-10-22 20:00:00", identity=identity), hit("2026-10-22 20:00:00"))
    assert set(seen.found) == {"7|2026-10-22 20:00:00"}
    assert seen.skipped == 1


def test_a_venue_that_comes_twice_says_that_the_list_moved():
    assert not read(hit("2026-10-22 20:00:00"), hit("2026-10-22 21:00:00")).complete


@pytest.mark.parametrize("availability", [None, {"slots": []}, {"slots": None}, {}])
def test_a_venue_without_slots_is_there_and_has_nothing(availability: Any):
    seen = read({"id": {"resy": 3}, "availability": availability})
    assert (len(seen.found), seen.skipped) == (0, 0)


def test_terms():
    assert [normal_term(one) for one in ("92025", "20259", "FA2025", "fa2025", 92025)] == ["92025"] * 5
    assert normal_term("SP2026") == "12026"
    for bad in ("", "2025", "32025", "XX2025", "920255", None, True, 9.2):
        with pytest.raises(Invalid):
            normal_term(bad)


def test_what_pages_say_about_further_ones_is_remembered_within_bounds():
    known = PagesKnown()
    bodies = [msgspec.json.encode({"total_pages": n, "search": {"hits": [n]}}) for n in range(MOST_PAGES_KNOWN + 10)]
    first = [known.read(body) for body in bodies]
    assert [page.total for page in first] == list(range(len(bodies)))
    assert [known.read(body) for body in bodies[-20:]] == first[-20:]
    assert known.remembered == MOST_PAGES_KNOWN
    with pytest.raises(msgspec.DecodeError):
        known.read(b"<html>")


def test_a_look_is_another_one_when_its_bodies_are_split_elsewhere():
    assert source_hash([b"ab", b"c"]) != source_hash([b"a", b"bc"]) != source_hash([b"abc"])
    assert source_hash([b"ab", b"c"]) == source_hash([b"ab", b"c"])


def test_meetings_for_people():
    lecture = Meeting("H", "1550", "1710", "LIV", "TIL", "254")
    online = Meeting("", "", "", None, None, None)
    assert meeting_summary([lecture, online]) == "H 15:50-17:10 LIV TIL 254"
    assert meeting_summary([lecture, Meeting("M", "0840", "1000")]) == "H 15:50-17:10 LIV TIL 254; M 08:40-10:00"
    assert meeting_summary([online]) == meeting_summary([]) == "TBA"


def test_a_catalog_survives_its_bad_records():
    section = {"index": "09214", "number": "01", "openStatus": True, "meetingTimes": [{"meetingDay": None}]}
    course = {
        "courseString": "01:198:111",
        "title": "INTRO ",
        "credits": None,
        "sections": [section, {"index": 5}, None],
    }
    catalog = read_catalog(msgspec.json.encode([course, None, {"title": 3}]))
    assert catalog.skipped == 4
    assert catalog.sections["09214"].title == "INTRO"
    assert catalog.sections["09214"].meetings == "TBA"
    with pytest.raises(msgspec.DecodeError):
        read_catalog(b'{"error": "no"}')


@pytest.mark.parametrize(
    ("provider", "word"),
    [
        (JsonProvider(url="http://x", slots="items[].{"), "slots"),
        (JsonProvider(url="http://x", slots=""), "slots"),
        (JsonProvider(url="http://x", slots="items", timezone="Mars/Olympus"), "timezone"),
        (ResyProvider(timezone="../../etc/passwd"), "timezone"),
    ],
)
def test_settings_that_cannot_work_end_the_start(provider: Any, word: str):
    with pytest.raises(CannotStart) as caught:
        build_source("mine", provider)
    assert f"providers.mine.{word}" in caught.value.detail
