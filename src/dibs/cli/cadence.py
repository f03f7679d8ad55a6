"""`dibs cadence`: ticks, schedules, and ticks from EventBridge."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, configuration, finish, out, with_parts
from dibs.parts import Parts
from dibs.signals import eventbridge
from dibs.signals.eventbridge import Change, Wanted
from dibs.signals.model import Cadence, Tick
from dibs.signals.read import list_cadences
from dibs.signals.tick import tick as run_tick

app = typer.Typer(no_args_is_help=True, help="Cadences: list, tick, EventBridge.")
events_app = typer.Typer(no_args_is_help=True, help="Ticks from AWS EventBridge (needs the extra `aws`).")
app.add_typer(events_app, name="eventbridge")


def print_json(value: Any) -> None:
    out.print(msgspec.json.encode(value).decode(), highlight=False, markup=False)


@app.command()
def tick(
    cadence_id: Annotated[str, typer.Argument(metavar="ID", help="The cadence, like 5min.")],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Bring the dirty signals of a cadence up to date now."""

    async def work(parts: Parts) -> Tick:
        return await run_tick(parts.db, parts.clock, cadence_id, parts.config.signals.schedule())

    done = with_parts(config, work)
    if as_json:
        print_json(done)
        return
    line = f"{done.cadence}: {done.checked} dirty, {done.estimated} estimated, {done.changed} changed"
    out.print(f"{line}, {done.skipped} skipped", highlight=False, markup=False)


@app.command(name="list")
def list_(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List the cadences with their schedules, last ticks and dirty signals."""

    async def work(parts: Parts) -> list[Cadence]:
        return await list_cadences(parts.db, parts.clock)

    found = with_parts(config, work)
    if as_json:
        print_json(found)
        return
    table = Table("cadence", "every", "due", "products", "dirty", "last tick", "estimated")
    for one in found:
        table.add_row(
            one.cadence_id,
            f"{one.interval_s:g} s",
            f"{one.due_at:%Y-%m-%d %H:%M:%S}" if one.due_at else "",
            str(one.products),
            str(one.dirty),
            f"{one.last_tick_at:%Y-%m-%d %H:%M:%S}" if one.last_tick_at else "never",
            "" if one.last_estimated is None else str(one.last_estimated),
        )
    out.print(table)


@events_app.command()
def apply(
    role_arn: Annotated[str, typer.Option(help="A role that EventBridge may use to call the destinations.")],
    token: Annotated[
        str,
        typer.Option(
            envvar="DIBS_EVENTBRIDGE_TOKEN", help="A token of scope staff; needed the first time and to replace it."
        ),
    ] = "",
    public_url: Annotated[str, typer.Option(help="Where AWS reaches this installation; none: http.public_url.")] = "",
    region: Annotated[str | None, typer.Option(help="The AWS region; none: as AWS is configured.")] = None,
    endpoint_url: Annotated[str | None, typer.Option(help="Another EventBridge endpoint, for tests.")] = None,
    prefix: Annotated[str, typer.Option(help="What the names of the resources begin with.")] = "dibs",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Create or correct the rules, the connection and the API destinations that tick the cadences."""

    async def work() -> list[Change]:
        settings = configuration(config)
        wanted = Wanted(
            public_url=public_url or settings.http.public_url,
            role_arn=role_arn,
            cadences=settings.signals.schedule(),
            prefix=prefix,
            token=token,
        )
        eventbridge.check(wanted)
        events = eventbridge.connect(region, endpoint_url)
        return await asyncio.to_thread(eventbridge.apply, events, wanted, dry_run=dry_run)

    changes = finish(work())
    if as_json:
        print_json(changes)
        return
    table = Table("", "resource", "name", "detail")
    for one in changes:
        table.add_row(one.action, one.kind, one.name, one.detail)
    out.print(table)
    if dry_run:
        out.print("nothing was changed (--dry-run)")
