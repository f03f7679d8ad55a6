"""Just opened: what became bookable, newest first, as it happens."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from dibs.console.components import (
    Empty,
    Fact,
    Item,
    LiveList,
    card,
    cell_status,
    el,
    iso,
    switch,
    text_field,
)
from dibs.console.page import PAGES, View, page
from dibs.openings import EventFilter, OpenEvent, list_events

SHOWN = 100
DATE_LENGTH = len("2026-11-16")
WINDOWS = {"10": "10 minutes", "60": "hour", "1440": "24 hours", "10080": "7 days"}
USUAL_WINDOW = "60"
TRACE = "/openings/{open_event_id}"
NOTHING = Empty(
    "Nothing has opened yet",
    "Openings appear here by themselves. Watch something that is bookable, or look further back.",
    "bolt",
    "dibs watch add PROVIDER name=value",
)


@page("/openings", "Just opened")
async def openings(view: View) -> None:
    view.head("Just opened", "Everything that became bookable, newest first.", live=True)
    with el("div", classes="dibs-filters", role="search", aria_label="Filter the openings"):
        pick = _Filters(view)
    with card(flush=True):
        shown = LiveList("Openings, newest first", NOTHING)

    async def refresh() -> None:
        found = await list_events(view.parts.db, pick.chosen(), limit=SHOWN)
        pick.offer(found)
        shown.show([item_of(event) for event in found if pick.fits(event)])

    await view.live(refresh, "dibs_opening")


class _Filters:
    """The filters above the list; what is chosen stands in the address."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._provider = view.choice("Provider", "provider", {"": "All providers"})
        self._watch = view.choice("Watch", "watch", {"": "All watches"})
        view.choice("Opened in the last", "within", WINDOWS, USUAL_WINDOW)
        text_field(
            "Title",
            view.filter("q"),
            kind="search",
            placeholder="Any",
            on_change=lambda value: view.set_filter("q", value),
        )
        switch(
            "Only what is still open",
            view.filter("open") == "1",
            on_change=lambda value: view.set_filter("open", "1" if value else ""),
        )

    def chosen(self) -> EventFilter:
        """What is asked of the database."""
        within = self._view.filter("within") or USUAL_WINDOW
        minutes = int(within if within in WINDOWS else USUAL_WINDOW)
        return EventFilter(
            since=self._view.parts.clock.now() - timedelta(minutes=minutes),
            provider=self._view.filter("provider") or None,
            watch=self._view.filter("watch") or None,
            status="Open",
            still_open=self._view.filter("open") == "1",
        )

    def fits(self, event: OpenEvent) -> bool:
        """Whether every word that was typed stands in the title or the key."""
        text = f"{title_of(event)} {event.slot_key}".lower()
        return all(word in text for word in self._view.filter("q").lower().split())

    def offer(self, found: list[OpenEvent]) -> None:
        """Lets people choose among what there is."""
        providers = {*self._view.parts.config.providers, *(event.provider for event in found)}
        self._provider.offer({"": "All providers"} | {name: name for name in sorted(providers)})
        watches = sorted({event.watch_key for event in found})
        self._watch.offer({"": "All watches"} | {key: key for key in watches})


def title_of(event: OpenEvent) -> str:
    """What people call it."""
    return str(event.payload.get("title") or event.slot_key)


def item_of(event: OpenEvent) -> Item:
    """An opening as a line of a live list."""
    closed = f"Closed {iso(event.closed_at)}" if event.closed_at else ""
    return Item(
        id=str(event.open_event_id),
        at=iso(event.event_at),
        title=title_of(event),
        badge=cell_status("open", why=event.reason) if event.still_open else cell_status("gone", why=closed),
        facts=tuple(_facts(event)),
        gone=not event.still_open,
        page=f"/openings/{event.open_event_id}" if TRACE in PAGES else "",
        href=str(event.payload.get("url") or ""),
        link_text="Book" if event.still_open else "Look",
    )


def _facts(event: OpenEvent) -> list[Fact]:
    starts = _starts(event.payload.get("starts_at"))
    seats = [Fact("event_seat", f"{event.seat_delta} more")] if event.seat_delta > 1 else []
    return [*starts, *seats, Fact("storefront", event.provider), Fact("visibility", event.watch_key)]


def _starts(value: Any) -> list[Fact]:
    if not value:
        return []
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return [Fact("event", str(value))]
    if len(str(value)) == DATE_LENGTH:
        return [Fact("event", f"{at:%a %d %b %Y}")]
    # Without a zone it is the clock on the wall of the place; only the place knows which that is.
    return [Fact.time("event", at)] if at.tzinfo else [Fact("event", f"{at:%a %d %b %Y, %H:%M} there")]
