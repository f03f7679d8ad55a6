"""What is open now, what opened, and how often."""

from __future__ import annotations

from datetime import datetime, timedelta

from dibs.console.components import Empty, LiveList, Series, Stat, bar_chart, card, iso, stat
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.pages.openings import item_of
from dibs.console.shared import shared
from dibs.openings import EventFilter, HourCount, count_open_now, count_per_hour, list_events

NEWEST = 8
HOURS = 24
BUSIEST = 3
NOTHING = Empty(
    "Nothing opened in the last hour",
    "Openings appear here the moment they are seen. Add a watch to see the first.",
    "bolt",
    "dibs watch add PROVIDER name=value",
)


def open_now(view: View) -> Refresh:
    shown: Stat = stat("Open now", href="/openings?open=1")

    async def refresh() -> None:
        counts = await shared("open now", 2.0, lambda: count_open_now(view.parts.db))
        places = sum(one.groups for one in counts)
        where = f"in {places:,} {'place' if places == 1 else 'places'}"
        shown.show(sum(one.slots for one in counts), where if places else "nothing is open")

    return refresh


def opened_today(view: View) -> Refresh:
    shown = stat(f"Opened in {HOURS} hours", href="/openings?within=1440")

    async def refresh() -> None:
        counts = await _hours(view)
        this_hour = _hour(view.parts.clock.now())
        recent = sum(one.openings for one in counts if one.hour == this_hour)
        shown.show(sum(one.openings for one in counts), f"{recent:,} of them since the full hour")

    return refresh


async def _hours(view: View) -> list[HourCount]:
    since = _hour(view.parts.clock.now()) - timedelta(hours=HOURS - 1)
    return await shared("per hour", 3.0, lambda: count_per_hour(view.parts.db, since=since))


def _hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def per_hour(view: View) -> Refresh:
    with card("Openings per hour", note=f"last {HOURS} hours"):
        chart = bar_chart(stacked=True)

    async def refresh() -> None:
        counts = await _hours(view)
        newest = _hour(view.parts.clock.now())
        hours = [newest - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
        chart.show([iso(hour) for hour in hours], _series(counts, hours), _sentence(counts))

    return refresh


def _series(counts: list[HourCount], hours: list[datetime]) -> list[Series]:
    """A series per provider; the many small ones together are one."""
    totals: dict[str, int] = {}
    for one in counts:
        totals[one.provider] = totals.get(one.provider, 0) + one.openings
    named = sorted(totals, key=lambda name: -totals[name])[:BUSIEST]
    by_name = {name: dict.fromkeys(hours, 0) for name in [*named, *(["others"] if len(totals) > BUSIEST else [])]}
    for one in counts:
        hour_counts = by_name[one.provider if one.provider in named else "others"]
        if one.hour in hour_counts:
            hour_counts[one.hour] += one.openings
    series = [Series(name, list(values.values())) for name, values in by_name.items()]
    return series or [Series("openings", [0] * len(hours))]


def _sentence(counts: list[HourCount]) -> str:
    total = sum(one.openings for one in counts)
    if not total:
        return f"Nothing opened in the last {HOURS} hours."
    busiest = max(counts, key=lambda one: one.openings)
    return f"{total} openings in the last {HOURS} hours, most of them at {busiest.provider}."


def newest(view: View) -> Refresh:
    with card("Just opened", note="newest first", flush=True):
        shown = LiveList("The newest openings", NOTHING)

    async def refresh() -> None:
        since = view.parts.clock.now() - timedelta(hours=1)
        found = await list_events(view.parts.db, EventFilter(since=since, status="Open"), limit=NEWEST)
        shown.show([item_of(event) for event in found])

    return refresh
