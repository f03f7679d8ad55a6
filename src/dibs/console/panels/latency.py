"""How long people wait for their notice."""

from __future__ import annotations

from datetime import timedelta

from dibs.console.components import Series, card, iso, line_chart, stat
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.shared import shared
from dibs.notify.latency import measure_latency
from dibs.notify.model import Latency

HOURS = 3
SLOW_S = 30.0


async def _measured(view: View) -> list[Latency]:
    since = view.parts.clock.now() - timedelta(hours=HOURS)
    return await shared("latency", 5.0, lambda: measure_latency(view.parts.db, since=since))


def seconds(value: float) -> str:
    """A latency in words."""
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 100 else f"{value / 60:.0f} min"


def median(view: View) -> Refresh:
    shown = stat("Opening to notice", href="/deliveries")

    async def refresh() -> None:
        whole = next((one for one in await _measured(view) if one.at is None), None)
        if whole is None:
            shown.show("–", f"no notice was sent in {HOURS} hours")
        else:
            told = f"median of {whole.sent:,}; 95 % within {seconds(whole.p95_s)}"
            shown.show(seconds(whole.median_s), told, "good" if whole.p95_s < SLOW_S else "warn")

    return refresh


def people_told(view: View) -> Refresh:
    shown = stat("Notices sent", href="/deliveries")

    async def refresh() -> None:
        whole = next((one for one in await _measured(view) if one.at is None), None)
        shown.show(whole.sent if whole else 0, f"in the last {HOURS} hours")

    return refresh


def over_time(view: View) -> Refresh:
    with card("Opening to notice", note=f"seconds, last {HOURS} hours"):
        chart = line_chart()

    async def refresh() -> None:
        measured = await _measured(view)
        points = [one for one in measured if one.at is not None]
        labels = [iso(one.at) for one in points if one.at]
        lines = [
            Series("median", [round(one.median_s, 3) for one in points]),
            Series("95 %", [round(one.p95_s, 3) for one in points]),
        ]
        chart.show(labels, lines, _sentence(measured))

    return refresh


def _sentence(measured: list[Latency]) -> str:
    if not measured:
        return f"No notice was sent in the last {HOURS} hours."
    whole = measured[0]
    return f"Half of {whole.sent} notices were accepted within {seconds(whole.median_s)} of the opening."
