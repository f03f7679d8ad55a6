"""The documents of a resy-style search, as tolerant types.

Only what detection needs is typed; what is merely shown to people may have any shape.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from dibs.sources.body import decoded


class VenueId(Struct, gc=False):
    resy: int | str


class SlotDate(Struct, gc=False):
    start: str


class SlotConfig(Struct, gc=False):
    type: Any = None


class Slot(Struct, gc=False):
    date: SlotDate
    config: SlotConfig | None = None


class Availability(Struct):
    slots: list[Slot] | None = None


class Venue(Struct):
    """A hit; in the older shape the venue inside a hit."""

    id: VenueId | int | str | None = None
    name: Any = None
    url_slug: Any = None
    neighborhood: Any = None
    locality: Any = None
    location: Any = None
    cuisine: Any = None
    price_range_id: Any = None
    images: Any = None
    is_tock_inventory: Any = None
    availability: Availability | None = None


class Hit(Venue):
    venue: Venue | None = None


class Pagination(Struct):
    total_pages: int | None = None


class Search(Struct):
    hits: list[Hit]
    nbPages: int | None = None  # noqa: N815 -- the provider's name
    pagination: Pagination | None = None


class Page(Struct):
    search: Search
    meta: Pagination | None = None
    total_pages: int | None = None


class RawSearch(Struct):
    hits: list[Raw]
    nbPages: Any = None  # noqa: N815 -- the provider's name
    pagination: Any = None


class RawPage(Struct):
    search: RawSearch
    meta: Any = None
    total_pages: Any = None


class RawAvailability(Struct):
    slots: list[Raw] | None = None


class LooseVenue(Venue):
    availability: RawAvailability | None = None  # pyright: ignore[reportIncompatibleVariableOverride] -- read apart


class LooseHit(LooseVenue):
    venue: LooseVenue | None = None


PAGE = msgspec.json.Decoder(Page)
RAW_PAGE = msgspec.json.Decoder(RawPage)
LOOSE_HIT = msgspec.json.Decoder(LooseHit)
SLOT = msgspec.json.Decoder(Slot)


def decode_page(body: bytes) -> tuple[list[Hit], int]:
    """The hits of a page and how many records of it were unreadable."""
    try:
        return decoded(PAGE.decode, body).search.hits, 0
    except msgspec.DecodeError:
        return _decode_loosely(body)


def _decode_loosely(body: bytes) -> tuple[list[Hit], int]:
    """Record by record: a bad one is left out and counted."""
    hits: list[Hit] = []
    bad = 0
    for raw in decoded(RAW_PAGE.decode, body).search.hits:
        try:
            loose = decoded(LOOSE_HIT.decode, bytes(raw))
        except msgspec.DecodeError:
            bad += 1
            continue
        hit, unread = _tightened(loose)
        hits.append(hit)
        bad += unread
    return hits, bad


def _tightened(loose: LooseHit) -> tuple[Hit, int]:
    own, bad = _slots(loose.availability)
    inner: Venue | None = None
    if loose.venue:
        nested, more = _slots(loose.venue.availability)
        inner = Venue(**_fields(loose.venue), availability=nested)
        bad += more
    return Hit(**_fields(loose), availability=own, venue=inner), bad


def _fields(venue: LooseVenue) -> dict[str, Any]:
    names = [name for name in Venue.__struct_fields__ if name != "availability"]
    return {name: getattr(venue, name) for name in names}


def _slots(availability: RawAvailability | None) -> tuple[Availability | None, int]:
    if availability is None:
        return None, 0
    slots: list[Slot] = []
    bad = 0
    for raw in availability.slots or []:
        try:
            slots.append(decoded(SLOT.decode, bytes(raw)))
        except msgspec.DecodeError:
            bad += 1
    return Availability(slots), bad


def page_count(body: bytes) -> tuple[int | None, int]:
    """How many pages there are, if the answer says so anywhere, and how many hits this one has."""
    page = decoded(RAW_PAGE.decode, body)
    places = (
        page.total_pages,
        _inside(page.meta, "total_pages"),
        page.search.nbPages,
        _inside(page.search.pagination, "total_pages"),
    )
    total = next((place for place in places if isinstance(place, int) and not isinstance(place, bool)), None)
    return total, len(page.search.hits)


def _inside(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
