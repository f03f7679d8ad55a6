"""`dibs trace`: the whole life of an opening."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.parts import Parts
from dibs.trace import Trace


def trace(
    open_event_id: Annotated[int, typer.Argument(help="The id of the opening.", min=0)],
    as_json: AsJson = False,
    config: ConfigFile = None,
) -> None:
    """Print how an opening was seen, who was told, who held it and who got it."""

    async def work(parts: Parts) -> Trace:
        return await parts.tracer.trace(open_event_id)

    found = with_parts(config, work)
    if as_json:
        out.print(msgspec.json.encode(found).decode(), highlight=False, markup=False)
        return
    event = found.opening
    title = str(event.payload.get("title") or event.slot_key)
    state = "still open" if event.still_open else "gone"
    out.print(f"{open_event_id}: {title} ({event.provider}, {state})", highlight=False, markup=False)
    table = Table("when (local)", "after", "stage", "what", "why")
    for step in found.steps:
        when = f"{step.at.astimezone():%Y-%m-%d %H:%M:%S}"
        table.add_row(when, f"{step.after_s:+.1f} s", step.stage, step.what, step.reason or "")
    out.print(table, markup=False)
