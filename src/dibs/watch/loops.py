"""The loops of watching that a worker runs."""

from typing import Protocol

from dibs.clock import Clock
from dibs.config import Config
from dibs.db import Database
from dibs.watch.load_catalog import CatalogLoader
from dibs.watch.poll import Poller, PollLoop
from dibs.watch.retention import SnapshotRetention
from dibs.watch.window import RollingWindows
from dibs.work import Loop, Wake


class WatchParts(Protocol):
    """What the loops need of a process's parts."""

    @property
    def config(self) -> Config: ...

    @property
    def db(self) -> Database: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def wake(self) -> Wake: ...

    @property
    def poller(self) -> Poller: ...

    @property
    def windows(self) -> RollingWindows: ...

    @property
    def catalogs(self) -> CatalogLoader: ...


def loops(parts: WatchParts) -> list[Loop]:
    retention = SnapshotRetention(parts.db, parts.clock, parts.config.retention.snapshot_days)
    return [
        PollLoop(parts.poller, parts.wake),
        parts.windows.loop(),
        parts.catalogs.loop(),
        retention.loop(),
    ]
