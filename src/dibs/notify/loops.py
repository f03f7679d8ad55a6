"""The loops of notify."""

from __future__ import annotations

from dibs.notify.deliver import CHANNEL
from dibs.notify.domain import Notify
from dibs.notify.fan_out import IDLE_S
from dibs.notify.prune import MEASURE_EVERY_S, PRUNE_EVERY_S
from dibs.work import Loop, Wake


class DeliveryLoop(Loop):
    """Sends go on beside the passes, so stopping waits for them too."""

    def __init__(self, notify: Notify, wake: Wake) -> None:
        super().__init__("notify.deliver", notify.deliver.run_once, wake=wake, channel=CHANNEL, idle_s=IDLE_S)
        self._notify = notify

    async def stop(self, timeout_s: float = 8.0) -> None:
        await super().stop(timeout_s / 2)
        await self._notify.deliver.finish(timeout_s / 2)
        await self._notify.close()


def loops(notify: Notify, wake: Wake) -> list[Loop]:
    """Fan-out and delivery, woken by each other; pruning and measuring now and then."""
    return [
        Loop("notify.fan_out", notify.fan_out.run_once, wake=wake, channel="dibs_opening", idle_s=IDLE_S),
        DeliveryLoop(notify, wake),
        Loop("notify.prune", notify.prune.run_once, idle_s=PRUNE_EVERY_S),
        Loop("notify.measure", notify.measure.run_once, idle_s=MEASURE_EVERY_S),
    ]
