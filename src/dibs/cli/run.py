"""What every command shares: its configuration, its parts, and how it fails."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console

from dibs.app import open_parts
from dibs.config import Config, load
from dibs.errors import DibsError
from dibs.parts import Parts

T = TypeVar("T")
out = Console(soft_wrap=True)
err = Console(stderr=True, soft_wrap=True)

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", envvar="DIBS_CONFIG", help="The TOML configuration file.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def configuration(path: Path | None) -> Config:
    return load(path, os.environ)


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work`; an error we know is one sentence and exit code 1."""
    try:
        return asyncio.run(work)
    except DibsError as error:
        err.print(f"[red]dibs:[/] {error.detail}", highlight=False)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except BrokenPipeError:
        # Whoever read us has gone (`dibs … | head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def with_parts(path: Path | None, work: Callable[[Parts], Awaitable[T]]) -> T:
    """Opens the parts of the configured installation, does `work`, closes them. Logs stay quiet."""

    async def opened() -> T:
        config = configuration(path)
        quiet = config.changed(telemetry=config.telemetry.__class__(log_level="warning"))
        async with open_parts(quiet) as parts:
            return await work(parts)

    return finish(opened())
