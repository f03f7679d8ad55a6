"""`dibs line`: who waits for a table or a product, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

import msgspec
import typer
from rich.table import Column, Table

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.offers import Place
from dibs.parts import Parts
from dibs.signals.model import ProductKey
from dibs.signals.read import get_product

app = typer.Typer(no_args_is_help=True, help="The lines of restaurants and products: list, move, remove.")
Restaurant = Annotated[
    str | None, typer.Argument(help="The restaurant's name in addresses, like blue-door; none: every line.")
]
Product = Annotated[
    str | None, typer.Option("--product", help="A product's key, like parks::camping::lake::site-a.", metavar="KEY")
]
PlaceId = Annotated[int, typer.Argument(help="The place's number.", min=1)]


@app.command(name="list")
def list_(
    restaurant: Restaurant = None,
    product: Product = None,
    day: Annotated[
        datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="Only who waits for this date.")
    ] = None,
    as_json: AsJson = False,
    config: ConfigFile = None,
) -> None:
    """List who waits, in order."""
    if restaurant and product:
        raise typer.BadParameter("name a restaurant or a product, not both")
    key = _key(product) if product else None

    async def work(parts: Parts) -> list[Place]:
        if restaurant:
            await parts.capacity.ground(restaurant)
        if key:
            await get_product(parts.db, key)
        chosen = day.date() if day else None
        return await parts.line.list_places(restaurant=restaurant, product=product, day=chosen, limit=500)

    places = with_parts(config, work)
    if as_json:
        out.print(msgspec.json.encode(places).decode(), highlight=False, markup=False)
    elif places:
        out.print(_table(places))
    else:
        out.print(f"nobody waits at {restaurant or product or 'any place'}", highlight=False, markup=False)


def _key(text: str) -> ProductKey:
    named = text.split("::")
    if len(named) != 4:
        raise typer.BadParameter("a product's key has four parts with :: between them", param_hint="--product")
    return ProductKey(*named)


def _table(places: Sequence[Place]) -> Table:
    # On a narrow screen names are broken, and dates are not.
    dates = (Column(name, no_wrap=True) for name in ("from", "to"))
    table = Table("place", "line", "no.", "size", *dates, "status", "first")
    for place in places:
        table.add_row(
            str(place.place_id),
            f"{place.name}, {place.service_date}" if place.service_date else place.name,
            str(place.position or ""),
            str(place.size),
            _moment(place.earliest, place.earliest_date),
            _moment(place.latest, place.latest_date),
            place.status,
            "yes" if place.comes_first else "",
        )
    return table


def _moment(moment: datetime, day: date | None) -> str:
    """A product's dates are dates, wherever the reader is; a table's times are the reader's."""
    return str(day) if day else f"{moment.astimezone():%H:%M}"


@app.command()
def move(
    place_id: PlaceId,
    position: Annotated[int, typer.Argument(help="Where it shall stand; 1 is the first.", min=1)],
    config: ConfigFile = None,
) -> None:
    """Put a place at another position of its line."""

    async def work(parts: Parts) -> Place:
        return await parts.line.move(place_id, position)

    moved = with_parts(config, work)
    out.print(f"place {place_id} stands at {moved.position} now", highlight=False, markup=False)


@app.command()
def remove(place_id: PlaceId, config: ConfigFile = None) -> None:
    """Take a place out of its line."""

    async def work(parts: Parts) -> Place:
        return await parts.line.leave(place_id, by="removed")

    out.print(f"place {place_id} is {with_parts(config, work).status}", highlight=False, markup=False)
