"""`dibs quote`: the best tables for a party, held."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import typer
from rich.table import Table

from dibs.capacity import Filters, Occasion, Quote, confirm_hold, read_floor
from dibs.capacity import quote as ask
from dibs.capacity.model import Assignment, Candidate, Floor
from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.errors import Invalid, NotFound
from dibs.parts import Parts

Names = Annotated[list[str] | None, typer.Option(help="The number of a table to leave out; may be repeated.")]


def quote(
    restaurant: Annotated[str, typer.Argument(help="The restaurant's slug.")],
    party_size: Annotated[int, typer.Argument(help="How many guests.")],
    start: Annotated[str, typer.Argument(help="2026-03-02T19:30 in the restaurant's time, or with an offset.")],
    zone: Annotated[str | None, typer.Option(help="Only in this zone, by its name.")] = None,
    max_tables: Annotated[int | None, typer.Option(help="At most so many tables.", min=1, max=5)] = None,
    adjacent: Annotated[bool, typer.Option(help="Only tables that stand together.")] = False,
    avoid: Names = None,
    confirm: Annotated[bool, typer.Option(help="Book it at once.")] = False,
    as_json: AsJson = False,
    config: ConfigFile = None,
) -> None:
    """Find the best free tables and hold them."""

    async def work(parts: Parts) -> tuple[Floor, Quote, Assignment | None]:
        floor = await read_floor(parts.capacity, restaurant)
        filters = Filters(_zone(floor, zone), max_tables, adjacent, _avoided(floor, avoid or []))
        quoted = await ask(parts.capacity, _occasion(restaurant, party_size, start), filters, held_by="dibs quote")
        booked = await confirm_hold(parts.capacity, quoted.hold_id) if confirm and quoted.hold_id else None
        return floor, quoted, booked

    floor, quoted, booked = with_parts(config, work)
    if as_json:
        out.print_json(msgspec.json.encode({"quote": quoted, "booking": booked}).decode())
    else:
        _show(floor, quoted, booked)
    if quoted.candidate is None:
        raise typer.Exit(3)


def _occasion(restaurant: str, party_size: int, start: str) -> Occasion:
    try:
        at = datetime.fromisoformat(start)
    except ValueError:
        raise Invalid(f"{start!r} is not a time like 2026-03-02T19:30.") from None
    if at.tzinfo is None:
        return Occasion(restaurant=restaurant, party_size=party_size, date=at.date(), time=at.time())
    return Occasion(restaurant=restaurant, party_size=party_size, start_at=at)


def _zone(floor: Floor, name: str | None) -> UUID | None:
    if name is None:
        return None
    for zone in floor.zones:
        if zone.name == name:
            return zone.zone_id
    raise NotFound(f"{floor.slug} has no zone {name!r}; it has {', '.join(one.name for one in floor.zones)}.")


def _avoided(floor: Floor, numbers: list[str]) -> frozenset[UUID]:
    known = {table.number: table.table_id for table in floor.tables}
    for number in numbers:
        if number not in known:
            raise NotFound(f"{floor.slug} has no table {number!r}.")
    return frozenset(known[number] for number in numbers)


def _show(floor: Floor, quoted: Quote, booked: Assignment | None) -> None:
    if quoted.candidate is None:
        out.print(f"nothing: {quoted.reason}. {quoted.detail}", highlight=False, markup=False)
    else:
        table = Table("", "tables", "seats", "spare", "standing")
        table.add_row("booked" if booked else "held", *_row(quoted.candidate))
        for other in quoted.alternates:
            table.add_row("or", *_row(other))
        out.print(table)
    if booked:
        out.print(f"booking {booked.booking_id}", highlight=False, markup=False)
    elif quoted.hold_id and quoted.expires_at:
        local = quoted.expires_at.astimezone(ZoneInfo(floor.timezone))
        out.print(f"hold {quoted.hold_id} until {local:%H:%M:%S}", highlight=False, markup=False)
    later = ", ".join(f"{one.astimezone(ZoneInfo(floor.timezone)):%H:%M}" for one in quoted.next_times)
    out.print(f"also at {later}" if later else "at no later time in this service", highlight=False, markup=False)


def _row(candidate: Candidate) -> tuple[str, str, str, str]:
    numbers = " + ".join(candidate.table_numbers)
    return numbers, str(candidate.total_capacity), str(candidate.overage), candidate.adjacency_status
