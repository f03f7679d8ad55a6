"""Overview: what is open now and what needs a person."""

from __future__ import annotations

import asyncio

from dibs.console.components import grid, stack, wide_grid
from dibs.console.live import Refresh
from dibs.console.page import View, page
from dibs.console.panels import demand, holds, latency, openings, queues, watches

NUMBERS = (
    openings.open_now,
    openings.opened_today,
    latency.median,
    latency.people_told,
    watches.need_attention,
    holds.about_to_expire,
    demand.waits,
    queues.oldest_work,
)
CHARTS = (openings.per_hour, latency.over_time)
TO_DO = (watches.attention_list, holds.hold_list, demand.demand_list)


@page("/", "Overview")
async def overview(view: View) -> None:
    view.head("Overview", "What is open now, and what needs you.", live=True)
    panels: list[Refresh] = []
    with grid():
        panels += [panel(view) for panel in NUMBERS]
    with wide_grid():
        panels += [panel(view) for panel in CHARTS]
    with wide_grid():
        panels.append(openings.newest(view))
        with stack():
            panels += [panel(view) for panel in TO_DO]

    async def refresh() -> None:
        await asyncio.gather(*(panel() for panel in panels))

    await view.live(refresh, "dibs_opening")
