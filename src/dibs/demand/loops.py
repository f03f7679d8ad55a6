"""The loops of demand: collect, look up places, forget what is too old, sample communities."""

from __future__ import annotations

from typing import Protocol

from dibs.demand.collect import Collector
from dibs.demand.enrich import ENRICH_CHANNEL, Enricher
from dibs.demand.sample import Sampler
from dibs.demand.sight import QUEUE_CHANNEL
from dibs.work import Loop, Wake


class _Parts(Protocol):
    """What of a process's parts is needed here; the parts themselves are built above this layer."""

    @property
    def collector(self) -> Collector: ...

    @property
    def enricher(self) -> Enricher: ...

    @property
    def sampler(self) -> Sampler: ...

    wake: Wake


def loops(parts: _Parts) -> list[Loop]:
    wake = parts.wake
    return [
        Loop("demand collect", parts.collector.run_once, wake=wake, channel=QUEUE_CHANNEL, idle_s=30),
        Loop("demand enrich", parts.enricher.run_once, wake=wake, channel=ENRICH_CHANNEL, idle_s=60),
        Loop("demand forget", parts.enricher.forget_once, idle_s=3600),
        Loop("demand sample", parts.sampler.run_once, idle_s=60),
    ]
