"""The loops of capacity."""

from __future__ import annotations

from typing import Protocol

from dibs.capacity.context import Capacity
from dibs.capacity.sweep import Sweeper
from dibs.work import Loop, Wake


class _Parts(Protocol):
    """What of a process's parts is needed here; the parts themselves are built above this layer."""

    @property
    def capacity(self) -> Capacity: ...

    wake: Wake
    worker: str


def loops(parts: _Parts) -> list[Loop]:
    interval = parts.capacity.settings.sweep_interval_s
    return [Loop("capacity sweep", Sweeper(parts.capacity, parts.worker).run_once, idle_s=interval)]
