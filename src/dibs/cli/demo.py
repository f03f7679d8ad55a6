"""`dibs demo`: the whole product on simulated providers, in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from dibs.app import run
from dibs.cli.run import ConfigFile, configuration, finish, out
from dibs.config import Config
from dibs.config.sections import Telemetry
from dibs.sim.demo import ADMIN_TOKEN, Town

DATA_DIR = Path(".dibs-demo")


def demo(
    port: Annotated[int, typer.Option(help="Where to listen.", min=0, max=65535)] = 8765,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    seed: Annotated[int, typer.Option(help="Another seed is another town.")] = 1,
    speed: Annotated[float, typer.Option(help="How fast people act; 2 is twice as fast.", min=0.1, max=100)] = 1.0,
    data_dir: Annotated[Path, typer.Option(help="Where the demo keeps its database.")] = DATA_DIR,
    config: ConfigFile = None,
) -> None:
    """Play a town: providers, people, openings, within seconds."""

    folder = data_dir.absolute()

    async def play() -> None:
        given = configuration(config)
        town = Town(seed, speed)
        async with town.serving(folder, host=host, port=port) as made:
            chosen = msgspec.structs.replace(made, database=given.database, telemetry=_telemetry(made, given))
            await run(chosen, on_ready=_say, beside=town.playing)

    _say("The demo starts: a database of its own, simulated providers, workers, API and console …")
    finish(play())


def _telemetry(made: Config, given: Config) -> Telemetry:
    return given.telemetry if given.telemetry != Telemetry() else made.telemetry


def _say(line: str) -> None:
    out.print(line, highlight=False, markup=False)
    if line.startswith("dibs is ready"):
        out.print(f"sign in with the token {ADMIN_TOKEN}", highlight=False, markup=False)
        out.print("stop with Ctrl+C", highlight=False, markup=False)
