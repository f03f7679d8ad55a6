"""`dibs line`: who waits for a table, in which order."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.offers import Place
from dibs.parts import Parts

app = typer.Typer(no_args_is_help=True, help="The line of a restaurant: list, move, remove.")
Restaurant = Annotated[str, typer.Argument(help="The restaurant's name in addresses, like blue-door.")]
PlaceId = Annotated[int, typer.Argument(help="The place's number.", min=1)]


@app.command(name="list")
def list_(
    restaurant: Restaurant,
    day: Annotated[datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="Only this date.")] = None,
    as_json: AsJson = False,
    config: ConfigFile = None,
) -> None:
    """List who waits, in order."""

    async def work(parts: Parts) -> list[Place]:
        await parts.capacity.ground(restaurant)
        chosen = day.date() if day else None
        return await parts.line.list_places(restaurant=restaurant, service_date=chosen, limit=500)

    places = with_parts(config, work)
    if as_json:
        out.print(msgspec.json.encode(places).decode(), highlight=False, markup=False)
        return
    if not places:
        out.print(f"nobody waits at {restaurant}", highlight=False, markup=False)
        return
    table = Table("place", "date", "position", "party", "from", "to", "status", "first")
    for place in places:
        table.add_row(
            str(place.place_id),
            str(place.service_date),
            str(place.position or ""),
            str(place.party_size),
            f"{place.earliest.astimezone():%H:%M}",
            f"{place.latest.astimezone():%H:%M}",
            place.status,
            "yes" if place.comes_first else "",
        )
    out.print(table)


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
