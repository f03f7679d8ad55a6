"""A resy-style provider: one search per party size, page by page, merged into one slot per (venue, start)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from types import MappingProxyType
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

import msgspec

from dibs.config import ResyProvider
from dibs.errors import Invalid
from dibs.sources.body import LONGEST_KEY, refuse_page
from dibs.sources.contract import Ask, DetectedBy
from dibs.sources.http import Request, Response
from dibs.sources.model import Answer, Detail, Failure, Fault, Observation, Target, Validators
from dibs.sources.resy_pages import Pages, PagesKnown, SearchPage
from dibs.sources.resy_wire import Hit, Venue, VenueId, decode_page

NUMBER = re.compile(r"[0-9]{1,18}")
SEARCH = "/3/venuesearch/search"
VENUE_PAGE = "https://www.resy.com/cities/{city}/venues/{venue}?date={day}&seats={seats}"
SIGNED_OUT = (301, 302, 303, 307, 308, 401, 419)


@dataclass(slots=True)
class PartyView:
    """What the search for one party size showed."""

    size: int
    found: dict[str, Venue] = field(default_factory=dict[str, Venue])
    venues: set[str] = field(default_factory=set[str])
    hits: int = 0
    bad: int = 0


class ResySource:
    """The provider of kind `resy`."""

    kind = "resy"
    detected_by: DetectedBy = "poll"
    asks: Mapping[str, str] = MappingProxyType({"date": "2026-02-28", "time_slot": "20:30"})

    def __init__(self, name: str, config: ResyProvider) -> None:
        self.name = name
        self._config = config
        self._zone = ZoneInfo(config.timezone)
        self._known = PagesKnown()

    def target(self, query: Mapping[str, Any]) -> Target:
        extra = sorted(set(query) - {"date", "time_slot"})
        if extra:
            raise Invalid(f"query.{extra[0]} is not known; resy takes date and time_slot.", field=f"query.{extra[0]}")
        day = _day(query.get("date")).isoformat()
        slot = _clock_time(query.get("time_slot")).strftime("%H:%M")
        return Target(f"{day}_{slot}", {"date": day, "time_slot": slot})

    # Fetching ------------------------------------------------------------------------------------------

    async def look(self, ask: Ask, target: Target, validators: Validators) -> Answer | Failure:  # noqa: ARG002 -- the service knows no conditional requests
        pages = Pages()
        for size in self._config.party_sizes:
            await self._search(ask, target, size, pages)
            if pages.trouble and (not pages.pages or pages.trouble[-1].fault is not Fault.TRANSIENT):
                break
        return pages.answer()

    async def _search(self, ask: Ask, target: Target, size: int, pages: Pages) -> None:
        for number in range(1, self._config.max_pages + 1):
            page = self._checked(await ask(self._request(target, size, number)))
            if isinstance(page, Failure):
                pages.trouble.append(page)
                return
            pages.pages.append(page)
            pages.labels.append(f"{size}/{number}")
            if page.is_last(number, self._config.per_page):
                return
        pages.capped = True

    def _request(self, target: Target, size: int, number: int) -> Request:
        config = self._config
        headers = {"Authorization": f'ResyAPI api_key="{config.api_key}"', "User-Agent": config.user_agent}
        if config.auth_token:
            headers["X-Resy-Auth-Token"] = config.auth_token
        body = {
            "availability": True,
            "page": number,
            "per_page": config.per_page,
            "slot_filter": {
                "day": target.query["date"],
                "party_size": size,
                "time_filter": target.query["time_slot"],
            },
            "types": ["venue"],
            "order_by": "availability",
            "geo": {"bounding_box": config.bounding_box},
            "query": "",
        }
        # A redirect leads to the login page, so it is not followed.
        return Request(config.base_url.rstrip("/") + SEARCH, "POST", headers, body, follow=False)

    def _checked(self, response: Response | Failure) -> SearchPage | Failure:
        """A page that really is one."""
        if isinstance(response, Failure):
            if response.status in SIGNED_OUT:
                return Failure(Fault.CONFIGURATION, f"signed_out: http_{response.status}", response.status)
            return response
        refused = refuse_page(response)
        if refused is not None:
            return refused
        try:
            return self._known.read(response.body)
        except msgspec.DecodeError:
            return Failure(Fault.TRANSIENT, "not_a_search_result", response.status)

    # Reading -------------------------------------------------------------------------------------------

    def read(self, answer: Answer, target: Target) -> Observation | Failure:  # noqa: ARG002 -- the contract's
        views: dict[int, PartyView] = {}
        try:
            for label, body in zip(answer.labels, answer.bodies, strict=True):
                size = int(label.partition("/")[0])
                _add_page(views.setdefault(size, PartyView(size)), body)
        except msgspec.DecodeError:
            return Failure(Fault.TRANSIENT, "not_a_search_result")
        parties = list(views.values())
        missing = len(parties) < len(self._config.party_sizes)
        return self._observe(parties, complete=answer.whole and not missing and not _shifted(parties))

    def _observe(self, parties: list[PartyView], *, complete: bool) -> Observation:
        found = parties[0].found
        for view in parties[1:]:
            found = {**view.found, **found}
        groups = None
        if not complete:
            all_asked = len(parties) == len(self._config.party_sizes)
            groups = frozenset(set[str].intersection(*(v.venues for v in parties)) if all_asked else ())
        return Observation(
            found=found,
            describe=lambda key: self._describe(key, parties),
            complete=complete,
            groups=groups,
            nameless=sum(view.bad for view in parties),
        )

    def _describe(self, slot_key: str, parties: list[PartyView]) -> Detail:
        venue_id, _, start = slot_key.rpartition("|")
        seen = [view for view in parties if slot_key in view.found]
        venue, sizes = seen[0].found[slot_key], [view.size for view in seen]
        payload = {
            "title": venue.name if isinstance(venue.name, str) else venue_id,
            "starts_at": start,
            "url": _venue_page(venue, start, sizes[0]),
            "neighborhood": venue.neighborhood,
            "image": venue.images[0] if isinstance(venue.images, list) and venue.images else None,
            "party_sizes": sizes,
            "seating": sorted({kind for view in seen for kind in _seating(view.found[slot_key], start)}),
            "cuisine": venue.cuisine,
            "price_range_id": venue.price_range_id,
        }
        return Detail(
            slot_key,
            venue_id,
            self.subject(slot_key),
            payload,
            starts_at=self._moment(start),
        )

    def _moment(self, start: str) -> datetime | None:
        try:
            return _local(start).replace(tzinfo=self._zone).astimezone(UTC)
        except OverflowError:
            return None

    def subject(self, slot_key: str) -> dict[str, Any]:
        venue_id, _, start = slot_key.rpartition("|")
        return {"venue_id": int(venue_id) if NUMBER.fullmatch(venue_id) else venue_id, "starts_at": start}

    def named(self, slot_key: str) -> Detail:
        venue_id, _, start = slot_key.rpartition("|")
        try:
            moment = _local(start)
        except ValueError:
            moment = None
        if not venue_id or moment is None or moment.isoformat(" ", "seconds") != start:
            raise Invalid("slot_key is venue|start, as 834|2026-02-28 20:30:00.", field="slot_key")
        payload = {"title": f"Venue {venue_id}", "starts_at": start, "url": None}
        return Detail(slot_key, venue_id, self.subject(slot_key), payload, starts_at=self._moment(start))

    def target_date(self, target: Target) -> date | None:
        return date.fromisoformat(target.query["date"])


def _add_page(view: PartyView, body: bytes) -> None:
    hits, bad = decode_page(body)
    view.bad += bad
    found, venues = view.found, view.venues
    # A page has thousands of slots and a few dozen different starts.
    starts: dict[str, str] = {}
    for hit in hits:
        venue = hit.venue or hit
        identity = _identity(hit)
        if identity is None:
            view.bad += 1
            continue
        view.hits += 1
        venues.add(identity)
        availability = hit.availability or venue.availability
        if availability is None or not availability.slots:
            continue
        if hit.venue and venue.availability is None:
            venue.availability = availability
        for slot in availability.slots:
            start = starts.get(slot.date.start)
            if start is None:
                start = starts[slot.date.start] = _normal_start(slot.date.start)
            if start:
                found[f"{identity}|{start}"] = venue
            else:
                view.bad += 1


def _normal_start(text: str) -> str:
    """The one way a start is written; nothing for a text that is none."""
    try:
        return _local(text).isoformat(" ", "seconds")
    except ValueError:
        return ""


def _identity(hit: Hit) -> str | None:
    identity = hit.id if hit.id is not None else hit.venue.id if hit.venue else None
    if isinstance(identity, VenueId):
        identity = identity.resy
    text = "" if identity is None else str(identity).replace("\x00", "")
    return text if 0 < len(text) <= LONGEST_KEY else None


def _shifted(parties: list[PartyView]) -> bool:
    """A venue that came twice says that the list moved between two pages, and then another one fell through."""
    return any(view.hits > len(view.venues) for view in parties)


def _seating(venue: Venue, start: str) -> list[str]:
    slots = venue.availability.slots if venue.availability else None
    return [
        slot.config.type
        for slot in slots or []
        if _normal_start(slot.date.start) == start and slot.config and isinstance(slot.config.type, str)
    ]


def _venue_page(venue: Venue, start: str, seats: int) -> str | None:
    city = venue.location.get("url_slug") if isinstance(venue.location, dict) else None
    if not isinstance(city, str) or not isinstance(venue.url_slug, str):
        return None
    return VENUE_PAGE.format(
        city=quote(city, safe=""), venue=quote(venue.url_slug, safe=""), day=start[:10], seats=seats
    )


def _local(start: str) -> datetime:
    """A venue-local moment, however it is written; an offset does not belong there and is dropped."""
    return datetime.fromisoformat(start).replace(tzinfo=None)


def _day(value: Any) -> date:
    try:
        if isinstance(value, str) and len(value) == 10:
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise Invalid("query.date is needed, as YYYY-MM-DD.", field="query.date")


def _clock_time(value: Any) -> time:
    try:
        if isinstance(value, str) and len(value) == 5:
            return time.fromisoformat(value)
    except ValueError:
        pass
    raise Invalid("query.time_slot is needed, as HH:MM.", field="query.time_slot")
