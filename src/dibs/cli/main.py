"""`dibs`: the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dibs.app import database_of, run
from dibs.cli import cadence, community, demand, floor, line, notify, signals, token, watch
from dibs.cli.demo import demo as play_demo
from dibs.cli.doctor import doctor
from dibs.cli.feed import feed
from dibs.cli.quote import quote
from dibs.cli.replay import replay_files
from dibs.cli.run import ConfigFile, configuration, finish, out
from dibs.cli.trace import trace
from dibs.config import Config
from dibs.config.sections import Section
from dibs.db.migrate import migrate as bring_up_to_date

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__, add_completion=False)
app.add_typer(token.app, name="token")
app.command(name="demo")(play_demo)
app.command()(doctor)
app.add_typer(watch.app, name="watch")
app.add_typer(notify.app, name="notify")
app.add_typer(line.app, name="line")
app.add_typer(cadence.app, name="cadence")
app.add_typer(signals.app, name="signals")
app.add_typer(floor.app, name="floor")
app.command()(quote)
app.command(name="feed")(feed)
app.command(name="trace")(trace)
app.command(name="replay")(replay_files)
app.add_typer(demand.app, name="demand")
app.add_typer(community.app, name="community")

Host = Annotated[str | None, typer.Option(help="Where to listen; overrides the configuration.")]
Port = Annotated[int | None, typer.Option(help="The port; overrides the configuration.", min=0, max=65535)]


def _replaced(section: Section, **values: object) -> Section:
    import msgspec  # noqa: PLC0415 -- only this command line overrides keys

    return msgspec.structs.replace(section, **{key: value for key, value in values.items() if value is not None})


def _listening(config: Config, host: str | None, port: int | None) -> Config:
    return config.changed(http=_replaced(config.http, host=host, port=port))


async def _run(
    config: Path | None,
    host: str | None = None,
    port: int | None = None,
    *,
    faces: bool = True,
    work: bool = True,
) -> None:
    """Reads the configuration where its mistakes are told in one sentence."""
    await run(_listening(configuration(config), host, port), faces=faces, work=work, on_ready=_say)


def _say(line: str) -> None:
    out.print(line, highlight=False, markup=False)


@app.command()
def serve(config: ConfigFile = None, host: Host = None, port: Port = None) -> None:
    """Run everything in one process: workers, API and console."""
    finish(_run(config, host, port))


@app.command()
def api(config: ConfigFile = None, host: Host = None, port: Port = None) -> None:
    """Run only the API and the console."""
    finish(_run(config, host, port, work=False))


@app.command()
def worker(config: ConfigFile = None) -> None:
    """Run only the workers."""
    finish(_run(config, faces=False))


@app.command()
def migrate(config: ConfigFile = None) -> None:
    """Bring the database's schema to the version of this program."""

    async def work() -> None:
        async with database_of(configuration(config)) as dsn:
            applied = await bring_up_to_date(dsn)
        for one in applied:
            _say(f"applied {one.number:04d} {one.name}")
        _say("the schema is current")

    finish(work())


def main() -> None:
    """The entry point of `dibs` and of `python -m dibs`."""
    app()
