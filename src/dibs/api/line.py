"""The line: take a place, look at it, leave; staff see and reorder it."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from msgspec import Struct
from pydantic import Field, StrictInt

from dibs.access import Caller
from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, bearer, caller_of, counted_client, needs, parts_of
from dibs.api.subscriptions import Body, NeedsToSubscribe
from dibs.errors import Forbidden, Unauthorized
from dibs.notify.model import ChannelName
from dibs.offers import Place, Wish
from dibs.parts import Parts
from dibs.signals.rules import LARGEST_CAPACITY, LONGEST_PART

router = APIRouter(prefix="/api", tags=["line"])
Id = Annotated[int, Path(ge=1, lt=2**63)]
# The fields below are called as their types.
Day = date
Slug = Annotated[str, Path(max_length=200)]
LONGEST_KEY = 4 * (LONGEST_PART + 2)


class Person(Body):
    """Who waits, and where they are told."""

    channel: ChannelName
    address: str = Field(max_length=2100)
    locale: str | None = Field(None, max_length=35)
    guest: dict[str, Any] | None = None


class JoinBody(Person):
    """For how many, and which starts would do."""

    party_size: StrictInt = Field(ge=1, le=1000)
    earliest: datetime | None = None
    latest: datetime | None = None
    date: Day | None = None
    time_from: time | None = None
    time_to: time | None = None


class WishBody(Person):
    """Either a table (`restaurant`, `party_size`, times) or a product (`product`, `quantity`, the dates that do)."""

    restaurant: str | None = Field(None, max_length=200)
    party_size: StrictInt | None = Field(None, ge=1, le=1000)
    earliest: datetime | None = None
    latest: datetime | None = None
    date: Day | None = None
    time_from: time | None = None
    time_to: time | None = None
    product: str | None = Field(None, max_length=LONGEST_KEY, description="The product's key: four parts and `::`.")
    quantity: StrictInt | None = Field(None, ge=1, le=LARGEST_CAPACITY)
    earliest_date: Day | None = None
    latest_date: Day | None = None


class MoveBody(Body):
    """Where the place shall stand; 1 is the first."""

    position: StrictInt = Field(ge=1, le=1_000_000)


class JoinedAnswer(Struct, omit_defaults=True):
    """`manage_token` and `webhook_secret` are shown this once."""

    place: Place
    existing: bool
    manage_token: str | None = None
    webhook_secret: str | None = None


class NeedsPlaceOwner:
    """Lets staff pass, or whoever has the manage token of the place's subscription."""

    async def __call__(
        self, request: Request, place_id: Id, x_manage_token: Annotated[str | None, Header(max_length=512)] = None
    ) -> Caller | None:
        parts = parts_of(request)
        if x_manage_token:
            place = await parts.line.get(place_id)
            if place.subscription_id and await parts.notify.manage.is_owner(place.subscription_id, x_manage_token):
                return None
        caller = await caller_of(request)
        if caller is None:
            raise Unauthorized("This needs the manage token of the place as X-Manage-Token, or a token of staff.")
        if not caller.may("staff"):
            raise Forbidden("This needs the scope staff, or the manage token of the place as X-Manage-Token.")
        return caller


owner = [Depends(bearer), Depends(NeedsPlaceOwner())]


@router.post(
    "/restaurants/{slug}/line",
    dependencies=[Depends(bearer), Depends(NeedsToSubscribe())],
    responses=shows(JoinedAnswer, status=201),
    status_code=201,
    summary="Take a place in line",
)
async def join(request: Request, parts: PartsOf, slug: Slug, body: JoinBody) -> Response:
    return await _join(request, parts, Wish(restaurant=slug, **body.model_dump()))


@router.post(
    "/line",
    dependencies=[Depends(bearer), Depends(NeedsToSubscribe())],
    responses=shows(JoinedAnswer, status=201),
    status_code=201,
    summary="Take a place in line, for a table or for a product",
)
async def join_any(request: Request, parts: PartsOf, body: WishBody) -> Response:
    return await _join(request, parts, Wish(**body.model_dump()))


async def _join(request: Request, parts: Parts, wish: Wish) -> Response:
    client = counted_client(request, await caller_of(request))
    joined = await parts.join.join(wish, client=client)
    place = await parts.line.get(joined.place_id)
    shown = JoinedAnswer(place, joined.existing, joined.manage_token, joined.webhook_secret)
    return answer(shown, 200 if joined.existing else 201)


@router.get(
    "/line",
    dependencies=needs("staff"),
    responses=shows(Place, many=True),
    summary="Who waits, line by line, each in its order",
)
async def get_lines(
    parts: PartsOf,
    restaurant: Annotated[str | None, Query(max_length=200)] = None,
    product: Annotated[str | None, Query(max_length=LONGEST_KEY, description="The product's key.")] = None,
    date: Annotated[Day | None, Query(description="Only who waits for this date.")] = None,
    live: bool = True,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    return await _listed(parts, limit, cursor, restaurant=restaurant, product=product, day=date, live=live)


@router.get(
    "/restaurants/{slug}/line",
    dependencies=needs("staff"),
    responses=shows(Place, many=True),
    summary="Who waits, in order",
)
async def get_line(
    parts: PartsOf,
    slug: Slug,
    date: Annotated[Day | None, Query(description="Only this service date.")] = None,
    live: bool = True,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    return await _listed(parts, limit, cursor, restaurant=slug, day=date, live=live)


async def _listed(
    parts: Parts,
    limit: int,
    cursor: str | None,
    *,
    restaurant: str | None,
    product: str | None = None,
    day: Day | None,
    live: bool,
) -> Response:
    after = decode_cursor(cursor, tuple[int])
    found = await parts.line.list_places(
        restaurant=restaurant,
        product=product,
        day=day,
        live=live,
        after=after[0] if after else None,
        limit=limit + 1,
    )
    return page(found, limit, lambda place: [place.place_id])


@router.get("/line/{place_id}", dependencies=owner, responses=shows(Place), summary="One place in line")
async def get_place(parts: PartsOf, place_id: Id) -> Response:
    return answer(await parts.line.get(place_id))


@router.delete("/line/{place_id}", dependencies=owner, responses=shows(Place), summary="Leave the line")
async def leave(parts: PartsOf, place_id: Id) -> Response:
    return answer(await parts.line.leave(place_id))


@router.post("/line/{place_id}/move", dependencies=needs("staff"), responses=shows(Place), summary="Reorder the line")
async def move(parts: PartsOf, place_id: Id, body: MoveBody) -> Response:
    return answer(await parts.line.move(place_id, body.position))
