"""Health: the database, the queues, the providers, this process."""

from __future__ import annotations

import asyncio

from dibs.console.components import grid
from dibs.console.live import Refresh
from dibs.console.page import View, page
from dibs.console.panels import process, queues


@page("/health", "Health")
async def health(view: View) -> None:
    view.head("Health", "Whether everything that dibs needs is there and in time.", live=True)
    panels: list[Refresh] = []
    with grid():
        panels += [process.database(view), process.process(view)]
    panels += [queues.queue_list(view), process.provider_list(view)]

    async def refresh() -> None:
        await asyncio.gather(*(panel() for panel in panels))

    await view.live(refresh)
