"""The composition root: configuration → database → clock → loops → faces; starts and stops in one process."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from dibs.access import ensure_admin, signing_key
from dibs.api import build_api
from dibs.capacity import loops as capacity_loops
from dibs.clock import Clock, SystemClock
from dibs.config import Config
from dibs.console import mount
from dibs.db import Database
from dibs.db.embedded import EmbeddedServer
from dibs.db.migrate import migrate
from dibs.demand.loops import loops as demand_loops
from dibs.errors import CannotStart
from dibs.notify.loops import loops as notify_loops
from dibs.offers.loops import loops as offer_loops
from dibs.openings.prune import Prune
from dibs.parts import Parts
from dibs.signals.loops import loops as signal_loops
from dibs.sources import open_client
from dibs.telemetry import configure_logs, configure_traces, emit, events
from dibs.wanted.loops import loops as wanted_loops
from dibs.watch.loops import loops as watch_loops
from dibs.work import Loop, Wake

DRAIN_S = 6.0
LOOK_AFTER_S = 2.0


@asynccontextmanager
async def database_of(config: Config) -> AsyncIterator[str]:
    """The database's address; the embedded server runs for as long as this is open."""
    if config.database.url:
        yield config.database.url
        return
    server = await asyncio.to_thread(EmbeddedServer.start, config.data_path)
    keeper = asyncio.create_task(_keep_running(server), name="embedded server")
    try:
        yield server.dsn
    finally:
        keeper.cancel()
        await asyncio.to_thread(server.stop)


async def _keep_running(server: EmbeddedServer) -> None:
    """Starts the embedded server again when it dies under us; the pool reconnects by itself."""
    while True:
        await asyncio.sleep(LOOK_AFTER_S)
        with contextlib.suppress(CannotStart):
            if await asyncio.to_thread(server.revive):
                emit(events.SERVER_REVIVED)


@asynccontextmanager
async def open_parts(config: Config, clock: Clock | None = None) -> AsyncIterator[Parts]:
    """Everything a process needs, with the schema brought up to date; closed again at the end."""
    configure_logs(config.telemetry.log_level, config.telemetry.log_format)
    configure_traces(config.telemetry.otlp_endpoint)
    async with database_of(config) as dsn:
        applied = await migrate(dsn)
        if applied:
            emit(events.MIGRATED, to=applied[-1].number, applied=len(applied))
        async with parts_on(dsn, config, clock or SystemClock()) as parts:
            yield parts


@asynccontextmanager
async def parts_on(dsn: str, config: Config, clock: Clock) -> AsyncIterator[Parts]:
    """The parts over a migrated database."""
    database = Database(dsn, size=config.database.pool_size, lock_timeout_s=config.database.lock_timeout_s)
    await database.open()
    wake = Wake(dsn)
    try:
        key = await signing_key(database, clock, "signing")
        await wake.start()
        async with open_client(allow_private=config.http.allow_private_targets) as client:
            parts = Parts(config, database, clock, wake, key, client)
            try:
                yield parts
            finally:
                await parts.close()
    finally:
        await wake.stop()
        await database.close()


def loops_of(parts: Parts) -> list[Loop]:
    """Every loop of a worker."""
    return [
        Prune(parts.db, parts.clock, parts.config.retention.event_days).loop(),
        *watch_loops(parts.poller, parts.windows, parts.catalogs, parts.snapshot_retention, parts.wake),
        *notify_loops(parts.notify, parts.wake),
        *signal_loops(parts.config, parts.db, parts.clock, parts.worker),
        *capacity_loops.loops(parts),  # pyright: ignore[reportArgumentType] -- a protocol's property does not match a cached one
        *offer_loops(parts.usher, parts.claim, parts.prune_line, parts.wake),
        *demand_loops(parts.collector, parts.enricher, parts.sampler, parts.wake),
        *wanted_loops(parts.wanted, parts.wake),
    ]


@asynccontextmanager
async def working(parts: Parts) -> AsyncIterator[list[Loop]]:
    """Runs the loops; drains them at the end."""
    loops = loops_of(parts)
    for loop in loops:
        loop.start()
    try:
        yield loops
    finally:
        for loop in loops:
            loop.ask_to_stop()
        await asyncio.gather(*(loop.stop(DRAIN_S) for loop in loops))


def build_faces(parts: Parts) -> FastAPI:
    """The API and the console in one application."""
    api = build_api(parts)
    mount(api, parts)
    return api


class _Server(uvicorn.Server):
    """uvicorn without its signal handling: the whole process stops in our order and exits 0."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(parts: Parts, app: FastAPI) -> AsyncIterator[str]:
    """Serves `app` and gives its address once it accepts requests."""
    http = parts.config.http
    listener = _bind(http.host, http.port)
    port = listener.getsockname()[1]
    settings = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=2,
        forwarded_allow_ips=http.trusted_proxies or "",
        server_header=False,
    )
    server = _Server(settings)
    await parts.stream.start()
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            if task.done():
                task.result()
                raise CannotStart("The web server ended while it was starting.")
            await asyncio.sleep(0.01)
        yield f"http://{_shown(http.host)}:{port}"
    finally:
        server.should_exit = True
        await asyncio.wait({task}, timeout=DRAIN_S)
        await parts.stream.stop()


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise CannotStart(f"{host}:{port} cannot be used ({error.strerror}); choose another with --port.") from None
    return listener


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def run(
    config: Config,
    *,
    faces: bool = True,
    work: bool = True,
    on_ready: Callable[[str], None] = print,
    beside: Callable[[Parts], contextlib.AbstractAsyncContextManager[object]] | None = None,
) -> None:
    """Runs until SIGTERM or SIGINT, then drains. `beside` is opened around the loops (the demo's world)."""
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    async with open_parts(config) as parts, contextlib.AsyncExitStack() as stack:
        token = await ensure_admin(parts.db, parts.clock, config.auth.admin_token)
        if token:
            on_ready(f"admin token (shown only once): {token}")
        if beside:
            await stack.enter_async_context(beside(parts))
        address = await stack.enter_async_context(serving(parts, build_faces(parts))) if faces else ""
        if work:
            await stack.enter_async_context(working(parts))
        # What is loaded by now stays loaded; looking through it at every collection was a fifth of a request.
        gc.collect()
        gc.freeze()
        emit(events.STARTED, address=address, worker=parts.worker)
        on_ready(f"dibs is ready on {address}" if faces else "dibs worker is ready")
        await stopping.wait()
    emit(events.STOPPED)
