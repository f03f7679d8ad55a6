"""Delivery windows: hours by the wall clock of a person's zone, also across midnight and clock changes."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dibs.errors import Invalid
from dibs.notify.model import Window

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
DAY_S = 86_400
# A window of one minute a day can be skipped by a clock change, never on two days in a row; some zones have
# skipped a whole day. Four days hold an opening of every window.
LOOK_AHEAD = timedelta(days=4)


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """The zone of that name; an unknown one is the caller's mistake."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(
            f"There is no time zone {name!r}; use an IANA name such as 'America/New_York'.",
            field="preferences.delivery_window.timezone",
        ) from None


def is_inside(window: Window, moment: datetime) -> bool:
    """Whether the wall clock of the window's zone is between its start and its end."""
    wall = moment.astimezone(zone(window.timezone)).time()
    if window.start == window.end:
        return True
    if window.start < window.end:
        return window.start <= wall < window.end
    return wall >= window.start or wall < window.end


def opens_at(window: Window, moment: datetime) -> datetime:
    """The first moment from `moment` on that is inside the window."""
    at, end = moment, moment + LOOK_AHEAD
    while at < end:
        found = _opens_within(window, at, at + HOUR)
        if found is not None:
            return found
        at += HOUR
    raise ValueError(f"the window {window} never opens after {moment}")


def _opens_within(window: Window, begin: datetime, end: datetime) -> datetime | None:
    if is_inside(window, begin):
        return begin
    local = begin.astimezone(zone(window.timezone))
    if local.utcoffset() == end.astimezone(zone(window.timezone)).utcoffset():
        at = begin + timedelta(seconds=(_seconds(window.start) - _seconds(local.time())) % DAY_S)
        # The start is whole minutes, a moment may have microseconds.
        at -= timedelta(microseconds=begin.microsecond)
        return at if at < end else None
    # The clock changes within this hour, by which the window may open without its start being passed.
    at = begin
    while at < end:
        if is_inside(window, at):
            return at
        at = at.replace(second=0, microsecond=0) + MINUTE
    return None


def _seconds(wall: time) -> int:
    return wall.hour * 3600 + wall.minute * 60 + wall.second
