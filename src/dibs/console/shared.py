"""One look for everybody: what many open pages ask for is read once every few seconds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")

_kept: dict[str, tuple[float, asyncio.Future[Any]]] = {}
MOST_KEPT = 200


async def shared(key: str, seconds: float, load: Callable[[], Awaitable[T]]) -> T:
    """What `load` gave at most `seconds` ago; those who ask meanwhile wait for the same answer."""
    now = time.monotonic()
    kept = _kept.get(key)
    if kept is None or kept[0] < now or kept[1].get_loop() is not asyncio.get_running_loop():
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        kept = (now + seconds, asyncio.ensure_future(_run(load)))
        _kept[key] = kept
    try:
        # One who leaves must not take the answer from the others.
        return await asyncio.shield(kept[1])
    except Exception:
        _kept.pop(key, None)
        raise


async def _run(load: Callable[[], Awaitable[T]]) -> T:
    return await load()
