"""Finds the benchmarks, runs them on one server, shows what came out."""

from __future__ import annotations

import asyncio
import importlib
import json
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.harness.bench import Bench, clean_database
from bench.harness.result import Result
from dibs.db.embedded import EmbeddedServer
from dibs.db.migrate import migrate
from dibs.telemetry import configure_logs

FOLDER = Path(__file__).resolve().parents[1]


def names() -> list[str]:
    """Every benchmark there is."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


@contextmanager
def own_server() -> Iterator[str]:
    """A durable server in a folder of its own, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="dibs-bench-"))
    try:
        with EmbeddedServer.start(folder) as server:
            yield server.dsn
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def run(chosen: Sequence[str], *, quick: bool) -> tuple[list[Result], list[str]]:
    """The results of the benchmarks, and the names of those that broke."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    results: list[Result] = []
    broken: list[str] = []
    with own_server() as dsn:
        await migrate(dsn)
        for name in chosen:
            started = time.perf_counter()
            sys.stderr.write(f"{name} …\n")
            try:
                async with clean_database(dsn, "dibs") as own:
                    results += await importlib.import_module(f"bench.{name}").run(Bench(own, quick))
            except Exception:  # noqa: BLE001 - one that breaks is reported and does not hide the others
                traceback.print_exc()
                broken.append(name)
            sys.stderr.write(f"{name}: {time.perf_counter() - started:.1f} s\n")
    return results, broken


def show(results: Sequence[Result], broken: Sequence[str]) -> None:
    """A table for people."""
    table = Table("benchmark", "value", "floor", "ratio", "target", "", "unit", box=None, pad_edge=False)
    for result in results:
        mark = {True: "[green]pass[/]", False: "[bold red]FAIL[/]", None: "[dim]—[/]"}[result.passed]
        floor = "" if result.floor is None else _number(result.floor)
        ratio = "" if result.ratio is None else f"{result.ratio:.2f}"
        unit = f"{result.unit} [dim]{result.note}[/]" if result.note else result.unit
        table.add_row(result.name, _number(result.value), floor, ratio, result.target, mark, unit)
    for name in broken:
        table.add_row(name, "", "", "", "", "[bold red]BROKEN[/]", "")
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4g}"


def main(arguments: Sequence[str]) -> int:
    """`python -m bench [names] [--json] [--quick] [--list]`"""
    options = {word for word in arguments if word.startswith("-")}
    known = names()
    chosen = [word for word in arguments if not word.startswith("-")] or known
    wrong = [word for word in chosen if word not in known] + sorted(options - {"--json", "--quick", "--list"})
    if wrong:
        sys.stderr.write(f"unknown: {', '.join(wrong)}; benchmarks: {', '.join(known)}; --json --quick --list\n")
        return 2
    if "--list" in options:
        sys.stdout.write("\n".join(known) + "\n")
        return 0
    # As the product logs by default, and beside the results instead of among them.
    configure_logs()
    try:
        results, broken = asyncio.run(run(chosen, quick="--quick" in options))
    except asyncio.CancelledError:
        sys.stderr.write("stopped\n")
        return 130
    if "--json" in options:
        report = {"results": [result.as_json() for result in results], "broken": broken}
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
    else:
        show(results, broken)
    return 1 if broken or any(result.passed is False for result in results) else 0
