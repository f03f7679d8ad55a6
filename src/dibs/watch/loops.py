"""The loops of watching that a worker runs."""

from dibs.watch.load_catalog import CatalogLoader
from dibs.watch.poll import Poller, PollLoop
from dibs.watch.retention import SnapshotRetention
from dibs.watch.window import RollingWindows
from dibs.work import Loop, Wake


def loops(
    poller: Poller, windows: RollingWindows, catalogs: CatalogLoader, retention: SnapshotRetention, wake: Wake
) -> list[Loop]:
    return [PollLoop(poller, wake), windows.loop(), catalogs.loop(), retention.loop()]
