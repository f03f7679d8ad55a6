"""The loops of demand: collect, look up places, forget what is too old, sample communities."""

from __future__ import annotations

from dibs.demand.collect import Collector
from dibs.demand.enrich import ENRICH_CHANNEL, Enricher
from dibs.demand.sample import Sampler
from dibs.demand.sight import QUEUE_CHANNEL
from dibs.work import Loop, Wake


def loops(collector: Collector, enricher: Enricher, sampler: Sampler, wake: Wake) -> list[Loop]:
    return [
        Loop("demand collect", collector.run_once, wake=wake, channel=QUEUE_CHANNEL, idle_s=30),
        Loop("demand enrich", enricher.run_once, wake=wake, channel=ENRICH_CHANNEL, idle_s=60),
        Loop("demand forget", enricher.forget_once, idle_s=3600),
        Loop("demand sample", sampler.run_once, idle_s=10),
    ]
