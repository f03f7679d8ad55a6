"""`dibs watch`: what is watched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.errors import Invalid
from dibs.parts import Parts
from dibs.sources.soc import normal_term
from dibs.sources.soc_catalog import read_catalog
from dibs.watch import PollResult, Watch

app = typer.Typer(no_args_is_help=True, help="Watches: add, list, poll, pause, remove.")

Key = Annotated[str, typer.Argument(help="The watch's key, as `dibs watch list` shows it.")]
Settings = Annotated[list[str] | None, typer.Option(help="A setting, as name=value; may be repeated.")]


def pairs(items: list[str] | None, what: str) -> dict[str, Any]:
    """`name=value` items; a value that reads as JSON (a number, true) is taken as such."""
    found: dict[str, Any] = {}
    for item in items or []:
        name, separator, value = item.partition("=")
        if not separator or not name:
            raise Invalid(f"{what} {item!r} is not name=value.")
        found[name] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return value if isinstance(value, bool | int | float) else text


@app.command()
def add(
    provider: Annotated[str, typer.Argument(help="A configured provider.")],
    query: Annotated[list[str], typer.Argument(help="What to watch, as name=value.")],
    policy: Settings = None,
    cadence: Settings = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Watch something; the same query again is the same watch."""

    async def work(parts: Parts) -> tuple[Watch, bool]:
        wanted = {name: str(value) for name, value in (item.split("=", 1) for item in query if "=" in item)}
        if len(wanted) != len(query):
            raise Invalid("The query is given as name=value, for example date=2026-02-28 time_slot=20:30.")
        return await parts.watches.add(provider, wanted, pairs(policy, "--policy"), pairs(cadence, "--cadence"))

    watch, created = with_parts(config, work)
    if as_json:
        _print_json(watch)
    else:
        _say(f"{'watching' if created else 'already watching'} {watch.key}")


@app.command(name="list")
def list_(
    provider: Annotated[str | None, typer.Option(help="Only this provider's.")] = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List the watches with their health."""

    async def work(parts: Parts) -> list[Watch]:
        found: list[Watch] = []
        after: str | None = None
        while page := await parts.watches.page(limit=500, after=after, provider=provider):
            found += page
            after = page[-1].key
        return found

    watches = with_parts(config, work)
    if as_json:
        _print_json(watches)
        return
    table = Table("key", "status", "open", "last good look", "next", "why")
    for watch in watches:
        table.add_row(
            watch.key,
            watch.status,
            str(watch.open_count),
            f"{watch.last_good_at:%Y-%m-%d %H:%M:%S}" if watch.last_good_at else "never",
            f"{watch.next_poll_at:%H:%M:%S}" if watch.next_poll_at else "",
            watch.reason,
        )
    out.print(table)


@app.command()
def poll(
    key: Key,
    baseline: Annotated[bool, typer.Option(help="Refresh what is known, without events.")] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Look now and say what came of it."""

    async def work(parts: Parts) -> PollResult:
        return await parts.poller.poll_now(key, quietly=baseline)

    result = with_parts(config, work)
    if as_json:
        _print_json(result)
    else:
        why = f" ({result.reason})" if result.reason else ""
        _say(f"{result.outcome}{why}: {result.opened} opened, {result.closed} closed, {result.open_count} open")
    if result.outcome == "failed":
        raise typer.Exit(1)


@app.command()
def pause(key: Key, config: ConfigFile = None) -> None:
    """Stop looking, and keep what is known."""
    with_parts(config, lambda parts: parts.watches.change(key, paused=True))
    _say(f"{key} is paused")


@app.command()
def resume(key: Key, config: ConfigFile = None) -> None:
    """Look again."""
    with_parts(config, lambda parts: parts.watches.change(key, paused=False))
    _say(f"{key} is watched again")


@app.command()
def remove(key: Key, config: ConfigFile = None) -> None:
    """Stop watching."""
    with_parts(config, lambda parts: parts.watches.remove(key))
    _say(f"{key} is no longer watched")


@app.command()
def catalog(
    provider: Annotated[str, typer.Argument(help="A provider of kind soc.")],
    term: Annotated[str, typer.Argument(help="As 92025 or FA2025.")],
    campus: Annotated[str, typer.Argument(help="As NB.")],
    file: Annotated[Path, typer.Argument(help="A courses.json.", exists=True, dir_okay=False)],
    config: ConfigFile = None,
) -> None:
    """Load a catalog from a file."""

    async def work(parts: Parts) -> int:
        try:
            found = read_catalog(file.read_bytes())
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Invalid(f"{file} is not a courses.json.") from None
        return await parts.catalogs.put(provider, normal_term(term), campus, found, None)

    _say(f"{with_parts(config, work)} sections were new or different")


def _say(line: str) -> None:
    out.print(line, highlight=False, markup=False)


def _print_json(value: Any) -> None:
    out.print(msgspec.json.format(msgspec.json.encode(value)).decode(), highlight=False, markup=False, soft_wrap=True)
