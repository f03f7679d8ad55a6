"""`dibs floor`: restaurants and their tables."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from dibs.capacity import list_restaurants, put_floor, read_floor, table_states
from dibs.capacity.floor import PutFloor
from dibs.capacity.floor_store import Restaurant
from dibs.capacity.model import Floor
from dibs.cli.run import ConfigFile, out, with_parts
from dibs.errors import Invalid
from dibs.parts import Parts

app = typer.Typer(no_args_is_help=True, help="Floors: load, show, list.")


@app.command()
def load(
    file: Annotated[Path, typer.Argument(help="The floor as JSON or TOML, as PUT /api/restaurants/…/floor takes it.")],
    restaurant: Annotated[
        str | None, typer.Option(help="Its slug; else `slug` in the file, else the file's name.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Take tables away although somebody has claims on them.")] = False,
    config: ConfigFile = None,
) -> None:
    """Make a restaurant's floor what the file says."""

    async def work(parts: Parts) -> PutFloor:
        document = _read(file)
        named = document.get("slug") if isinstance(document, dict) else None
        return await put_floor(parts.capacity, str(restaurant or named or file.stem), document, force=force)

    put = with_parts(config, work)
    floor = put.floor
    counts = f"{len(floor.tables)} tables in {len(floor.zones)} zones, {len(floor.adjacencies)} adjacent pairs"
    out.print(f"{floor.slug}: {counts}", highlight=False, markup=False)
    for booking_id in put.displaced:
        out.print(f"booking {booking_id} lost its tables and is pending again", highlight=False, markup=False)


def _read(file: Path) -> Any:
    try:
        text = file.read_bytes()
        return tomllib.loads(text.decode()) if file.suffix == ".toml" else msgspec.json.decode(text)
    except OSError as error:
        raise Invalid(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, msgspec.DecodeError) as error:
        raise Invalid(f"{file} is not {'TOML' if file.suffix == '.toml' else 'JSON'}: {error}.") from None


@app.command(name="list")
def list_(config: ConfigFile = None) -> None:
    """List the restaurants."""

    async def work(parts: Parts) -> list[Restaurant]:
        return await list_restaurants(parts.capacity, limit=500)

    table = Table("restaurant", "name", "time zone", "tables")
    for one in with_parts(config, work):
        table.add_row(one.slug, one.name, one.timezone, str(one.tables))
    out.print(table)


@app.command()
def show(
    restaurant: Annotated[str, typer.Argument(help="Its slug.")],
    at: Annotated[datetime | None, typer.Option(help="Show what is taken then (UTC unless it has an offset).")] = None,
    config: ConfigFile = None,
) -> None:
    """Show a floor, and what each table is at a moment (now, unless told)."""

    async def work(parts: Parts) -> tuple[Floor, dict[Any, Any]]:
        floor = await read_floor(parts.capacity, restaurant)
        moment = parts.clock.now() if at is None else _aware(at, parts)
        return floor, await table_states(parts.capacity, floor, moment)

    floor, states = with_parts(config, work)
    zones = {zone.zone_id: zone.name for zone in floor.zones}
    table = Table("zone", "table", "seats", "parties", "", "state", title=f"{floor.name} ({floor.timezone})")
    for one in floor.tables:
        state = states.get(one.table_id, "free") if one.active else "not in use"
        parties = f"{one.min_party}–{one.max_party or one.capacity}"
        kind = "movable" if one.movable else "fixed"
        table.add_row(zones[one.zone_id], one.number, str(one.capacity), parties, kind, state)
    out.print(table)


def _aware(at: datetime, parts: Parts) -> datetime:
    return at if at.tzinfo else at.replace(tzinfo=parts.clock.now().tzinfo)
