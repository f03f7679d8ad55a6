"""The feed: just opened, all events, all slots, the stream, Atom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from dibs.api import atom
from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import Needs, PartsOf, caller_of, feed_reader
from dibs.errors import Invalid
from dibs.openings import EventFilter, OpenEvent, Slot, get_event, list_documents, list_events, list_slots
from dibs.parts import Parts

router = APIRouter(prefix="/api", tags=["openings"])

Name = Annotated[str | None, Query(max_length=300)]
Window = Annotated[int, Query(ge=1, le=60 * 24 * 366)]
DAY_MINUTES = 24 * 60


@router.get("/openings", dependencies=feed_reader, responses=shows(OpenEvent, many=True), summary="Just opened")
async def get_openings(
    parts: PartsOf,
    within_minutes: Window = 10,
    provider: Name = None,
    watch: Name = None,
    group: Name = None,
    still_open: bool = True,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    chosen = EventFilter(
        since=_since(parts, within_minutes),
        provider=provider,
        watch=watch,
        group=group,
        status="Open",
        still_open=still_open,
    )
    return await _events(parts, chosen, limit, cursor)


@router.get("/events", dependencies=feed_reader, responses=shows(OpenEvent, many=True), summary="All events")
async def get_events(
    parts: PartsOf,
    within_minutes: Window = DAY_MINUTES,
    provider: Name = None,
    watch: Name = None,
    group: Name = None,
    status: Literal["Open", "Closed"] | None = None,
    still_open: bool = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    chosen = EventFilter(
        since=_since(parts, within_minutes),
        provider=provider,
        watch=watch,
        group=group,
        status=status,
        still_open=still_open,
    )
    return await _events(parts, chosen, limit, cursor)


async def _events(parts: Parts, chosen: EventFilter, limit: int, cursor: str | None) -> Response:
    before = decode_cursor(cursor, tuple[datetime, int])
    found = await list_documents(parts.db, chosen, limit=limit + 1, before=before)
    return page(found, limit, lambda event: [event["event_at"], event["open_event_id"]])


@router.get("/slots", dependencies=feed_reader, responses=shows(Slot, many=True), summary="Everything available")
async def get_slots(
    parts: PartsOf,
    watch: Name = None,
    provider: Name = None,
    group: Name = None,
    open: bool = True,  # noqa: A002 -- the contract's name of the parameter
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    after = decode_cursor(cursor, tuple[str])
    found = await list_slots(
        parts.db,
        limit=limit + 1,
        after=after[0] if after else None,
        watch=watch,
        provider=provider,
        group=group,
        is_open=open,
    )
    return page(found, limit, lambda slot: [slot.slot_id])


@router.get(
    "/openings/stream",
    dependencies=feed_reader,
    summary="Openings as they happen (server-sent events)",
    responses={200: {"description": "A stream of `opening` events", "content": {"text/event-stream": {}}}},
)
async def stream_openings(
    request: Request,
    parts: PartsOf,
    provider: Name = None,
    watch: Name = None,
    group: Name = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    after = _event_id(last_event_id)
    chosen = EventFilter(
        since=parts.clock.now(), provider=provider, watch=watch, group=group, status="Open", still_open=False
    )
    return StreamingResponse(
        _sse(request, parts, chosen, after),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _sse(request: Request, parts: Parts, chosen: EventFilter, after: int | None) -> AsyncIterator[bytes]:
    # The first bytes say at once that the stream stands; later comments keep proxies from closing it.
    yield b": dibs\nretry: 2000\n\n"
    async for event in parts.stream.follow(after):
        if event is None:
            if await request.is_disconnected():
                return
            yield b": still here\n\n"
        elif chosen.passes(event):
            yield b"event: opening\nid: %d\ndata: %s\n\n" % (event.open_event_id, msgspec.json.encode(event))


def _event_id(header: str | None) -> int | None:
    if not header:
        return None
    if not header.isascii() or not header.isdigit() or len(header) > 18:
        raise Invalid("Last-Event-ID is not the id of an opening; leave it out to start from now.")
    return int(header)


@router.get(
    "/openings.atom",
    dependencies=feed_reader,
    summary="Just opened, as an Atom feed",
    responses={200: {"description": "An Atom feed", "content": {"application/atom+xml": {}}}},
)
async def atom_openings(
    parts: PartsOf,
    provider: Name = None,
    watch: Name = None,
    group: Name = None,
    within_minutes: Window = DAY_MINUTES,
) -> Response:
    chosen = EventFilter(
        since=_since(parts, within_minutes), provider=provider, watch=watch, group=group, status="Open"
    )
    found = await list_events(parts.db, chosen, limit=100)
    return Response(atom.render(found, parts.public_url, parts.clock.now()), media_type="application/atom+xml")


@router.get("/openings/{open_event_id}", dependencies=feed_reader, summary="One opening, with its trace")
async def get_opening(request: Request, parts: PartsOf, open_event_id: int) -> Response:
    event = await get_event(parts.db, _fitting(open_event_id))
    if event.private:
        # An offer kept for one person is no public news.
        await Needs("read")(request)
    # The feed may be public; who was told is not.
    told = await parts.notify.notices.of_event(event.open_event_id) if await caller_of(request) else {}
    snapshot = await parts.tracer.snapshot(event)
    return answer({**msgspec.structs.asdict(event), "snapshot": snapshot, "notifications": [], **told})


def _fitting(number: int) -> int:
    if not 0 <= number < 2**63:
        raise Invalid("open_event_id is out of range.")
    return number


def _since(parts: Parts, minutes: int) -> datetime:
    return parts.clock.now() - timedelta(minutes=minutes)
