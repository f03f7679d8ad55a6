"""A loop repeats, waits, survives and drains; a wake only shortens the wait."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from dibs.errors import Unavailable
from dibs.work import Loop, Wake

PATIENCE_S = 20


async def test_a_loop_runs_again_at_once_while_there_is_more() -> None:
    left = [3]
    done = asyncio.Event()

    async def run_once() -> float:
        left[0] -= 1
        if left[0] == 0:
            done.set()
            return 3600
        return 0

    loop = Loop("test", run_once, idle_s=3600)
    loop.start()
    await asyncio.wait_for(done.wait(), PATIENCE_S)
    await loop.stop()
    assert left == [0]


@pytest.mark.parametrize("error", [RuntimeError("boom"), Unavailable("not now"), psycopg.OperationalError("gone")])
async def test_no_error_ends_a_loop(error: Exception) -> None:
    calls = 0
    recovered = asyncio.Event()

    async def run_once() -> float:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise error
        recovered.set()
        return 3600

    loop = Loop("test", run_once, idle_s=3600)
    loop.start()
    await asyncio.wait_for(recovered.wait(), PATIENCE_S)
    await loop.stop()


async def test_stop_lets_the_running_pass_finish() -> None:
    started, finished = asyncio.Event(), asyncio.Event()
    go = asyncio.Event()

    async def run_once() -> float:
        started.set()
        await go.wait()
        finished.set()
        return 0

    loop = Loop("test", run_once)
    loop.start()
    await asyncio.wait_for(started.wait(), PATIENCE_S)
    loop.ask_to_stop()
    go.set()
    await loop.stop()
    assert finished.is_set()


async def test_a_pass_that_never_ends_is_cut() -> None:
    started = asyncio.Event()

    async def run_once() -> float:
        started.set()
        await asyncio.Event().wait()
        return 0

    loop = Loop("test", run_once)
    loop.start()
    await asyncio.wait_for(started.wait(), PATIENCE_S)
    await asyncio.wait_for(loop.stop(timeout_s=0.05), PATIENCE_S)


async def notify(dsn: str, channel: str) -> None:
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        await connection.execute("SELECT pg_notify(%s, '')", [channel])


async def test_a_notification_wakes_who_waits(dsn: str) -> None:
    wake = Wake(dsn)
    rung = wake.subscribe("dibs_test")
    await wake.start()
    await asyncio.wait_for(wake.listening.wait(), PATIENCE_S)
    rung.clear()
    await notify(dsn, "dibs_test")
    await asyncio.wait_for(rung.wait(), PATIENCE_S)
    await wake.stop()


async def test_a_channel_can_be_added_while_listening(dsn: str) -> None:
    wake = Wake(dsn)
    await wake.start()
    await asyncio.wait_for(wake.listening.wait(), PATIENCE_S)
    rung = wake.subscribe("dibs_later")
    # The first ring says that the channel is listened to now.
    await asyncio.wait_for(rung.wait(), PATIENCE_S)
    rung.clear()
    await notify(dsn, "dibs_later")
    await asyncio.wait_for(rung.wait(), PATIENCE_S)
    await wake.stop()


async def test_a_lost_connection_comes_back_and_rings(dsn: str) -> None:
    wake = Wake(dsn)
    rung = wake.subscribe("dibs_test")
    await wake.start()
    await asyncio.wait_for(wake.listening.wait(), PATIENCE_S)
    rung.clear()
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    await asyncio.wait_for(rung.wait(), PATIENCE_S)
    await wake.stop()
