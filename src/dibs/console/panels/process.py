"""The database, this process, and the providers' pace."""

from __future__ import annotations

import resource
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from nicegui import Client

from dibs.console.components import Column, Empty, Table, card, cell_status, cell_time, stat
from dibs.console.live import Refresh
from dibs.console.page import View
from dibs.console.shared import shared
from dibs.db.measure import DatabaseFacts, measure_database
from dibs.db.migrate import is_current
from dibs.sources.store import PaceRow, list_paces

SLOW_MS = 100.0
SKEWED_S = 2.0
MIB = 1024 * 1024


def database(view: View) -> Refresh:
    answer = stat("Database")
    size = stat("Stored")
    users = stat("Connections")
    skew = stat("Clocks")

    async def measure() -> tuple[DatabaseFacts, float, float, bool]:
        started = time.perf_counter()
        async with view.parts.db.connection() as connection:
            facts = await measure_database(connection)
        took_s = time.perf_counter() - started
        # What the answer took on its way is no difference between the clocks.
        apart_s = max(0.0, abs((view.parts.clock.now() - facts.at).total_seconds()) - took_s)
        return facts, took_s * 1000, apart_s, await is_current(view.parts.db)

    async def refresh() -> None:
        facts, took_ms, apart, current = await shared("database", 3.0, measure)
        schema = "schema is current" if current else "run `dibs migrate`"
        tone = "good" if current and took_ms < SLOW_MS else "warn" if current else "bad"
        answer.show(f"{took_ms:.0f} ms", f"PostgreSQL {facts.version.split()[0]}, {schema}", tone)
        size.show(_bytes(facts.bytes), "on the database's disk")
        full = facts.connections / facts.most_connections
        users.show(facts.connections, f"of {facts.most_connections}", "warn" if full > 0.8 else "good")
        words = "database and host agree" if apart < SKEWED_S else "the host's clock and the database's differ"
        skew.show(f"{apart:.1f} s", words, "good" if apart < SKEWED_S else "warn")

    return refresh


def process(view: View) -> Refresh:
    memory = stat("Memory of this process")
    tabs = stat("Open pages")
    bell = stat("Bell (NOTIFY)")

    async def refresh() -> None:
        memory.show(_bytes(resident_bytes()), view.parts.worker)
        tabs.show(sum(client.has_socket_connection for client in Client.instances.values()), "at this process")
        rings = view.parts.wake.listening.is_set()
        told = "pages and workers are woken at once" if rings else "pages look again every few seconds"
        bell.show("heard" if rings else "lost", told, "good" if rings else "warn")

    return refresh


def resident_bytes() -> int:
    """The memory that this process holds now; where only the peak can be told, the peak."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _bytes(count: int) -> str:
    return f"{count / MIB:,.0f} MiB" if count < 10_000 * MIB else f"{count / MIB / 1024:,.1f} GiB"


def provider_list(view: View) -> Refresh:
    with card("Providers", note="how they are asked"):
        table = Table(
            [
                Column("provider", "Provider"),
                Column("kind", "Kind"),
                Column("state", "State"),
                Column("until", "Rests until"),
                Column("why", "Why"),
                Column("since", "Since"),
            ],
            key="provider",
            label="Providers",
            empty=Empty(
                "No providers are configured", "Add one to the configuration file:", "storefront", "[providers.NAME]"
            ),
            search=False,
            query="p",
        )

    async def load() -> list[PaceRow]:
        async with view.parts.db.connection() as connection:
            return await list_paces(connection)

    async def refresh() -> None:
        paces = {row.provider: row for row in await shared("paces", 3.0, load)}
        now = view.parts.clock.now()
        kinds = {name: type(section).__struct_config__.tag for name, section in view.parts.config.providers.items()}
        table.show([_row(name, str(kind), paces.get(name), now) for name, kind in sorted(kinds.items())])

    return refresh


def _row(name: str, kind: str, pace: PaceRow | None, now: datetime) -> dict[str, Any]:
    resting = pace is not None and pace.paused_until is not None and pace.paused_until > now
    state = "paused" if resting else "degraded" if pace and pace.profile == "degraded" else "ok"
    return {
        "provider": name,
        "kind": kind,
        "state": cell_status("new" if pace is None else state),
        "until": cell_time(pace.paused_until) if pace and resting else None,
        "why": pace.reason if pace and state != "ok" else "",
        "since": cell_time(pace.changed_at) if pace and state != "ok" else None,
    }
