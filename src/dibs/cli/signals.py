"""`dibs signals`: look at them, and compare them with the truth."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from dibs.cli.cadence import print_json
from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.errors import Invalid
from dibs.parts import Parts
from dibs.signals.audit import audit as run_audit
from dibs.signals.model import Drift, Signal
from dibs.signals.read import list_signals

app = typer.Typer(no_args_is_help=True, help="Signals: audit, list.")


@app.command()
def audit(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Compare every clean signal with the truth; any difference is an error (exit code 1)."""

    async def work(parts: Parts) -> tuple[int, list[Drift]]:
        return await run_audit(parts.db, parts.clock)

    compared, drifts = with_parts(config, work)
    if as_json:
        print_json({"compared": compared, "drifts": drifts})
    else:
        for drift in drifts:
            cached, truth = drift.cached_tier or drift.cached, drift.truth_tier or drift.truth
            out.print(
                f"{drift.product_key} {drift.date}: cached {cached}, truth {truth}", highlight=False, markup=False
            )
        out.print(f"{compared} clean signals compared, {len(drifts)} differ", highlight=False, markup=False)
    if drifts:
        raise typer.Exit(1)


@app.command(name="list")
def list_(
    cadence: Annotated[str | None, typer.Option(help="Only those of this cadence.")] = None,
    state: Annotated[str | None, typer.Option(help="dirty or clean.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 50,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List signals that are not over."""

    async def work(parts: Parts) -> list[Signal]:
        if state not in (None, "dirty", "clean"):
            raise Invalid("--state must be dirty or clean.", field="state")
        found = await list_signals(parts.db, parts.clock, limit=limit, cadence_id=cadence, state=state)
        return [signal for _, signal in found]

    found = with_parts(config, work)
    if as_json:
        print_json(found)
        return
    table = Table("product", "date", "cadence", "state", "value", "last updated")
    for one in found:
        key = one.pk.removeprefix("availabilitySignal::")
        table.add_row(key, one.sk, one.gsipk, one.gsisk, str(one.value), f"{one.last_updated_at:%Y-%m-%d %H:%M:%S} UTC")
    out.print(table)
