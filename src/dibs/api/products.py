"""Own inventory over HTTP: products, their dates, allocations."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from msgspec import Raw, Struct
from pydantic import BaseModel, Field

from dibs.api import dates_query
from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import Needs, PartsOf, needs, parts_of
from dibs.errors import Invalid
from dibs.signals import rules
from dibs.signals.allocate import allocate
from dibs.signals.model import (
    Allocation,
    CadenceBucket,
    DateAnswer,
    Floor,
    Pattern,
    Product,
    ProductDates,
    ProductKey,
    ProductPlan,
    Tier,
)
from dibs.signals.put import put_product
from dibs.signals.read import get_product, list_dates_of_products, list_documents, list_products
from dibs.signals.release import release
from dibs.signals.resize import set_capacity

router = APIRouter(prefix="/api/products", tags=["products"])

ONE = "/{collection_id}/{activity_type}/{activity_id}/{product_id}"
Part = Annotated[str, Path(min_length=1, max_length=rules.LONGEST_PART)]
Count = Annotated[int, Field(strict=True, ge=0, le=rules.LARGEST_CAPACITY)]
Quantity = Annotated[int, Field(strict=True, ge=1, le=rules.LARGEST_CAPACITY)]
Text = Annotated[str, Field(min_length=1, max_length=rules.LONGEST_TEXT)]
From = Annotated[date | None, Query(alias="from", description="The first date; none: today.")]
To = Annotated[date | None, Query(description="The last date, inclusive; none: a month after the first.")]


class CadenceBody(BaseModel):
    """The schedule on which the signals are looked at."""

    id: Text
    label: Annotated[str, Field(max_length=rules.LONGEST_TEXT)] = ""


class TierBody(BaseModel):
    """A band up to and including a share of the capacity."""

    id: Text
    label: Annotated[str, Field(max_length=rules.LONGEST_TEXT)] = ""
    max_percentage: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class PatternBody(BaseModel):
    """How availability is estimated."""

    estimation_mode: Literal["exact", "tiered"]
    cadence: CadenceBody
    tiers: Annotated[list[TierBody], Field(max_length=rules.MOST_TIERS)] | None = None


class FloorBody(BaseModel):
    """The restaurant's floor that the product stands on."""

    restaurant: Text
    measure: Literal["tables", "covers"] = "tables"


class ProductBody(BaseModel):
    """A product: a pool of `capacity` per date, or a floor."""

    name: Text
    timezone: Text
    capacity: Count | None = None
    range_start: date
    range_end: date
    availability_estimation_pattern: PatternBody
    floor: FloorBody | None = None


class AllocateBody(BaseModel):
    """What to take, and under which name."""

    quantity: Quantity
    reference: Text


class ReleaseBody(BaseModel):
    """What to give back; a quantity is only compared."""

    reference: Text
    quantity: Quantity | None = None


class CapacityBody(BaseModel):
    """The capacity of one date; null: the product's."""

    capacity: Count | None


class ProductAnswer(Struct, frozen=True, kw_only=True):
    """A product as the API shows it."""

    product_key: str
    collection_id: str
    activity_type: str
    activity_id: str
    product_id: str
    name: str
    timezone: str
    capacity: int
    range_start: date
    range_end: date
    availability_estimation_pattern: dict[str, Any]
    floor: Floor | None
    created_at: datetime
    updated_at: datetime


class PutAnswer(ProductAnswer, frozen=True, kw_only=True):
    """A product, and what became of its dates: those outside the range stay if something was allocated there."""

    created: bool
    seeded: int
    resized: int
    removed: int
    kept: int


class CapacityAnswer(Struct, frozen=True, kw_only=True):
    """A date after its capacity was set."""

    date: date
    capacity: int
    allocated: int


async def key_of(collection_id: Part, activity_type: Part, activity_id: Part, product_id: Part) -> ProductKey:
    key = ProductKey(collection_id, activity_type, activity_id, product_id)
    rules.check_key(key)
    return key


KeyOf = Annotated[ProductKey, Depends(key_of)]


@router.put(ONE, dependencies=needs("staff"), responses=shows(PutAnswer), summary="Make or change a product")
async def put(parts: PartsOf, key: KeyOf, body: ProductBody) -> Response:
    product, counts = await put_product(parts.db, parts.clock, key, _plan(body), parts.config.signals.schedule().keys())
    return answer(
        PutAnswer(
            **_shown(product),
            created=product.created,
            seeded=counts.seeded,
            resized=counts.resized,
            removed=counts.removed,
            kept=counts.kept,
        )
    )


@router.get("", dependencies=needs("read"), responses=shows(ProductAnswer, many=True), summary="All products")
async def get_all(
    parts: PartsOf,
    collection_id: Annotated[str | None, Query(max_length=rules.LONGEST_PART)] = None,
    cadence: Annotated[str | None, Query(max_length=rules.LONGEST_TEXT)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    after = decode_cursor(cursor, tuple[str])
    found = await list_products(
        parts.db,
        limit=limit + 1,
        after=after[0] if after else "",
        collection_id=collection_id,
        cadence_id=cadence,
    )
    return page([ProductAnswer(**_shown(one)) for one in found], limit, lambda one: [one.product_key])


@router.get(
    "/{collection_id}/dates",
    dependencies=needs("read"),
    responses=shows(ProductDates, many=True),
    summary="The dates of every product of a collection, from the cache",
)
async def get_dates_of_collection(
    parts: PartsOf,
    collection_id: Part,
    first: From = None,
    to: To = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    after = decode_cursor(cursor, tuple[str])
    start, end = dates_query.span(parts.clock.now(), first, to)
    found = await list_dates_of_products(
        parts.db, parts.clock, collection_id, start, end, after=after[0] if after else "", limit=limit + 1
    )
    return page(found, limit, lambda one: [one.product_key])


@router.get(ONE, dependencies=needs("read"), responses=shows(ProductAnswer), summary="One product")
async def get(parts: PartsOf, key: KeyOf) -> Response:
    return answer(ProductAnswer(**_shown(await get_product(parts.db, key))))


@router.get(
    ONE + "/dates",
    dependencies=needs("read"),
    responses=shows(DateAnswer, many=True),
    summary="The dates of a product, from the cache",
    openapi_extra={"parameters": dates_query.PARAMETERS},
)
async def get_dates(request: Request) -> Response:
    # The hottest read. FastAPI would spend more time on its nine parameters than the database on the answer.
    parts = parts_of(request)
    asked = dates_query.read(request, parts.clock.now())
    if asked.fresh:
        await Needs("staff")(request)
    found = await list_documents(
        parts.db, parts.clock, asked.key, asked.first, asked.last, limit=asked.limit + 1, fresh=asked.fresh
    )
    items = [Raw(one.document) for one in found]
    return page(items, asked.limit, lambda _: [found[asked.limit - 1].date])


@router.post(
    ONE + "/dates/{day}/allocate", dependencies=needs("staff"), responses=shows(Allocation), summary="Allocate"
)
async def post_allocate(parts: PartsOf, key: KeyOf, day: date, body: AllocateBody) -> Response:
    made = await allocate(parts.db, parts.clock, key, day, reference=body.reference, quantity=body.quantity)
    return answer(made)


@router.post(ONE + "/dates/{day}/release", dependencies=needs("staff"), responses=shows(Allocation), summary="Release")
async def post_release(parts: PartsOf, key: KeyOf, day: date, body: ReleaseBody) -> Response:
    made = await release(parts.db, parts.clock, key, day, reference=body.reference, quantity=body.quantity)
    return answer(made)


@router.patch(
    ONE + "/dates/{day}",
    dependencies=needs("staff"),
    responses=shows(CapacityAnswer),
    summary="Give one date a capacity of its own",
)
async def patch_date(parts: PartsOf, key: KeyOf, day: date, body: CapacityBody) -> Response:
    made = await set_capacity(parts.db, key, day, body.capacity)
    return answer(CapacityAnswer(date=day, capacity=made.capacity, allocated=made.allocated))


def _plan(body: ProductBody) -> ProductPlan:
    if body.capacity is None and body.floor is None:
        raise Invalid("`capacity` is required, unless the product stands on a `floor`.", field="capacity")
    pattern = body.availability_estimation_pattern
    return ProductPlan(
        name=body.name,
        timezone=body.timezone,
        capacity=0 if body.floor else body.capacity or 0,
        range_start=body.range_start,
        range_end=body.range_end,
        pattern=Pattern(
            estimation_mode=pattern.estimation_mode,
            cadence=CadenceBucket(id=pattern.cadence.id, label=pattern.cadence.label),
            tiers=[
                Tier(id=tier.id, label=tier.label, max_percentage=tier.max_percentage) for tier in pattern.tiers or []
            ],
        ),
        floor=Floor(restaurant=body.floor.restaurant, measure=body.floor.measure) if body.floor else None,
    )


def _shown(product: Product) -> dict[str, Any]:
    floor = None
    if product.floor_restaurant and product.floor_measure:
        floor = Floor(restaurant=product.floor_restaurant, measure=product.floor_measure)
    return {
        "product_key": product.product_key,
        "collection_id": product.collection_id,
        "activity_type": product.activity_type,
        "activity_id": product.activity_id,
        "product_id": product.product_id,
        "name": product.name,
        "timezone": product.timezone,
        "capacity": product.capacity,
        "range_start": product.range_start,
        "range_end": product.range_end,
        "availability_estimation_pattern": product.pattern,
        "floor": floor,
        "created_at": product.created_at,
        "updated_at": product.updated_at,
    }
