"""Demand: search as a person would, see what is set in motion, and what everybody looked for."""

from __future__ import annotations

from dibs.console.components import (
    Choice,
    Column,
    Empty,
    Field,
    Table,
    button,
    card,
    cell_two,
    choice,
    el,
    hint,
    notice,
    row,
    text_field,
    wide_grid,
)
from dibs.console.components.viewport_map import Eye, Mark, ViewportMap
from dibs.console.page import View, page
from dibs.console.panels.demand_list import demand_table
from dibs.console.panels.follow_place import follow_place
from dibs.demand.model import OnDemand, Query, Term
from dibs.demand.search import Found
from dibs.places.model import EntityType
from dibs.places.search_store import FoundRestaurant

ANY = ""
KINDS = {
    ANY: "Read it from the words",
    "restaurant": "A restaurant's name",
    "food": "A food",
    "food_attribute": "How a food is",
    "restaurant_attribute": "How a restaurant is",
}
WHOLE_COUNTRY = Eye(38.5, -97.0, 50.0)
DECISIONS = {
    "queued": "is being collected",
    "recorded_no_location": "is noted: no community is near, so nobody can be asked",
    "recorded_small_viewport": "is noted: the view is too small to ask a whole city",
    "cooldown": "was asked about lately",
    "deferred": "waits: much is being collected already",
    "already_running": "is being collected already",
    "enough_results": "has enough results",
}
NOTHING = Empty("Nothing searched yet", "Move the map, say what to look for, and search this view.", "travel_explore")


@page("/demand", "Demand")
async def demand(view: View) -> None:
    view.head("Demand", "What people look for, what they find, and what is collected because they did not.", live=True)
    searching = _Searching(view)
    refresh_list = demand_table(view)

    async def refresh() -> None:
        await searching.refresh()
        await refresh_list()

    await view.live(refresh, "dibs_collect")


class _Searching:
    """The search, its map and its answer."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._found: list[FoundRestaurant] = []
        with el("div", classes="dibs-filters", role="search", aria_label="Search as a person would"):
            self._text: Field = text_field("Look for", view.filter("q"), kind="search", placeholder="tacos, Franklin …")
            self._kind: Choice = choice("It is", KINDS, view.filter("kind"))
            button("Search this view", self._search, sign="search")
        self._told = el("div", classes="dibs-stack")
        with wide_grid():
            with card("Map"):
                self._map = ViewportMap("Map of the viewport", _eye(view.filter("at")), self._moved)
                hint("Drag or use the arrow keys; + and − zoom. What is shown is what is searched.")
            with card("Found", flush=True):
                self._table = Table(
                    [
                        Column("name", "Restaurant"),
                        Column("mentions", "Mentions", "number"),
                        Column("km", "Km", "number"),
                    ],
                    key="entity_id",
                    label="Restaurants found",
                    empty=NOTHING,
                    search=False,
                    query="f",
                    on_open=self._follow,
                )

    def _moved(self, eye: Eye) -> None:
        # The address only: moving a map must not search, or every move would be demand.
        self._view.set_filter("at", f"{eye.lat:.4f},{eye.lng:.4f},{eye.span:.4g}")

    async def refresh(self) -> None:
        communities = await self._view.parts.communities.list(limit=200)
        places = [Mark(one.location_key, one.lat, one.lng, active=one.active) for one in communities]
        found = [
            Mark(str(one.entity_id), one.lat, one.lng, one.name)
            for one in self._found
            if one.lat is not None and one.lng is not None
        ]
        self._map.show(places, found)

    async def _search(self) -> None:
        await self._view.require("read")
        text = str(self._text.value).strip()
        kind = str(self._kind.value)
        self._view.set_filter("q", text)
        self._view.set_filter("kind", kind)
        terms = (Term(text, EntityType(kind)),) if kind and text else ()
        answer = await self._view.parts.search(Query(text, terms, self._map.bounds))
        self._found = answer.restaurants
        self._table.show([_row(one) for one in answer.restaurants])
        self._tell(answer)
        await self.refresh()

    async def _follow(self, entity_id: int) -> None:
        chosen = next((one for one in self._found if one.entity_id == int(entity_id)), None)
        if chosen:
            await follow_place(self._view, chosen.name)

    def _tell(self, answer: Found) -> None:
        self._told.clear()
        with self._told:
            place = answer.location_key or "no community"
            width = "" if answer.viewport_miles is None else f", {answer.viewport_miles:.1f} miles wide"
            hint(f"{answer.primary_count} found in {place}{width}")
            _tell_demand(answer.on_demand)


def _tell_demand(told: OnDemand) -> None:
    """What a person would read, and below it what was decided about each target."""
    if told.message:
        notice("info", told.message)
    with row():
        for target in told.targets:
            el("span", f"“{target.term}” {DECISIONS[target.decision]}", classes="dibs-muted dibs-small")


def _row(found: FoundRestaurant) -> dict[str, object]:
    return {
        "entity_id": found.entity_id,
        "name": cell_two(found.name, found.location_key or ""),
        "mentions": found.matched_mentions,
        "km": None if found.distance_m is None else round(found.distance_m / 1000, 1),
    }


def _eye(text: str) -> Eye:
    """Where the address says one looked; else the whole country."""
    try:
        lat, lng, span = (float(part) for part in text.split(","))
    except ValueError:
        return WHOLE_COUNTRY
    fits = abs(lat) <= 84 and abs(lng) <= 180 and 0.002 <= span <= 340
    return Eye(lat, lng, span) if fits else WHOLE_COUNTRY
