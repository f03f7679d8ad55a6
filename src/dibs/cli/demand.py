"""`dibs demand`: what people looked for and did not find."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.demand.model import CollectionRequest, Status
from dibs.demand.requests import why_not
from dibs.errors import Invalid
from dibs.parts import Parts
from dibs.wanted import Choice, WantedPlace, Watched

RequestId = Annotated[int, typer.Argument(help="The id that `dibs demand list` shows.", min=1, max=2**63 - 1)]


class Stands(StrEnum):
    """How a wanted place stands."""

    OPEN = "open"
    WATCHED = "watched"
    STOPPED = "stopped"


app = typer.Typer(no_args_is_help=True, help="Demand: list what was looked for, collect one now, watch it.")


@app.command(name="list")
def list_(
    status: Annotated[Status | None, typer.Option(help="Only those that stand so.")] = None,
    place: Annotated[str | None, typer.Option(help="Only those of this community.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many.")] = 50,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List the demand, newest sighting first."""

    async def work(parts: Parts) -> tuple[list[CollectionRequest], datetime]:
        found = await parts.collection_requests.list(limit=limit, status=status, location_key=place)
        return found, parts.clock.now()

    found, now = with_parts(config, work)
    if as_json:
        out.print_json(msgspec.json.encode(found).decode())
        return
    table = Table("id", "term", "type", "where", "seen", "status", "due", "why not", "error")
    for one in found:
        table.add_row(
            str(one.request_id),
            one.term,
            one.entity_type,
            one.run_location_key or "–",
            f"{one.occurrence_count}×",
            f"{one.status} ({one.last_outcome})" if one.last_outcome else one.status,
            f"{one.due_at:%Y-%m-%d %H:%M} UTC" if one.due_at else "–",
            why_not(one, now) or "",
            one.error or "",
        )
    out.print(table)


@app.command()
def run(
    request_id: RequestId,
    place: Annotated[str | None, typer.Option(help="Where, for a request that has no place of its own.")] = None,
    config: ConfigFile = None,
) -> None:
    """Queue a request now, whatever its cooldown; a worker collects it inside the provider's pace."""

    async def work(parts: Parts) -> CollectionRequest:
        return await parts.collection_requests.run(request_id, place)

    request = with_parts(config, work)
    text = f"request {request_id} ({request.term}) is {request.status} in {request.run_location_key}"
    out.print(text, highlight=False, markup=False)


@app.command()
def watch(
    request_id: RequestId,
    provider: Annotated[str | None, typer.Option(help="Which place it is, where several come into question.")] = None,
    group: Annotated[str | None, typer.Option(help="The provider's own name or number of that place.")] = None,
    config: ConfigFile = None,
) -> None:
    """Watch what people look for; those who asked are told when it opens."""

    async def work(parts: Parts) -> Watched:
        if (provider is None) != (group is None):
            raise Invalid("--provider and --group name a place together; give both or none.")
        choice = Choice(provider, group) if provider is not None and group is not None else None
        return await parts.wanted.watch.watch(request_id, choice)

    out.print(with_parts(config, work).sentence, highlight=False, markup=False)


@app.command()
def unwatch(request_id: RequestId, config: ConfigFile = None) -> None:
    """Stop watching it; those who asked wait again, and the rule leaves it alone."""

    async def work(parts: Parts) -> WantedPlace:
        return await parts.wanted.watch.stop(request_id)

    place = with_parts(config, work)
    out.print(f"“{place.term}” is not watched any more.", highlight=False, markup=False)


@app.command()
def wanted(
    status: Annotated[Stands | None, typer.Option(help="Only those that stand so.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many.")] = 50,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List what people want watched, and what became of it."""

    async def work(parts: Parts) -> list[WantedPlace]:
        return await parts.wanted.watch.list(limit=limit, status=status)

    found = with_parts(config, work)
    if as_json:
        out.print_json(msgspec.json.encode(found).decode())
        return
    table = Table("id", "term", "where", "lately", "asked", "told", "status", "as")
    for one in found:
        table.add_row(
            str(one.request_id),
            one.term,
            one.location_key or "–",
            f"{one.occurrences_in_window}×",
            str(one.askers),
            str(one.told),
            f"{one.status} ({one.verdict})" if one.status == "open" and one.verdict else one.status,
            one.topic or ", ".join(f"{maybe.name} ({maybe.provider} {maybe.group_key})?" for maybe in one.candidates),
        )
    out.print(table)
