"""The loops of watching that a worker runs."""

from typing import Protocol

from dibs.watch.poll import Poller, PollLoop
from dibs.work import Loop, Wake


class WatchParts(Protocol):
    """What the loops need of a process's parts."""

    @property
    def poller(self) -> Poller: ...

    @property
    def wake(self) -> Wake: ...


def loops(parts: WatchParts) -> list[Loop]:
    return [PollLoop(parts.poller, parts.wake)]
