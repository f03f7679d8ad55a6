"""`dibs doctor`."""

from __future__ import annotations

import os

import msgspec
import typer
from rich.markup import escape
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, finish, out
from dibs.clock import SystemClock
from dibs.doctor import Finding, examine

MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "problem": "[bold red]problem[/]"}


def doctor(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Check database, clock, configuration and providers, and say what to do. Exit code 1 on a problem."""
    findings = finish(examine(config, os.environ, SystemClock()))
    if as_json:
        out.print_json(msgspec.json.encode(findings).decode())
    else:
        out.print(_table(findings))
    if any(finding.state == "problem" for finding in findings):
        raise typer.Exit(1)


def _table(findings: list[Finding]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for finding in findings:
        table.add_row(MARKS[finding.state], escape(finding.subject), escape(finding.detail))
        if finding.todo and finding.state != "ok":
            table.add_row("", "", f"[dim]→ {escape(finding.todo)}[/]")
    return table
