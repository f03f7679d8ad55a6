"""The outside world, read politely.

Every provider fulfils one small contract (`contract.Source`): it turns a query into requests, and bodies into
an observation. It knows its wire format and nothing of events, time or the database.

* `http` asks: time limit, 20 MiB limit after decompression, conditional requests, and no way to addresses
  inside (`address`). An answer is a value: a response, or the reason why there is none.
* `pace` is authoritative for how fast a provider is asked, over all processes: a provider has `workers` lanes,
  a request needs a lane, and a lane rests `gap_ms` after each request.

      normal --non-2xx--> paused (pause_s or Retry-After) --> degraded --recover_after successes--> normal

* A failed look is never an empty observation: HTML, a login page, a truncated or oversized body, a document of
  another shape are failures. One bad record is skipped and counted.
"""

from dibs.sources.build import build_source, build_sources
from dibs.sources.contract import Ask, Source
from dibs.sources.http import Client, Request, Response, open_client
from dibs.sources.model import Answer, Detail, Failure, Fault, Observation, Target, Validators

__all__ = [
    "Answer",
    "Ask",
    "Client",
    "Detail",
    "Failure",
    "Fault",
    "Observation",
    "Request",
    "Response",
    "Source",
    "Target",
    "Validators",
    "build_source",
    "build_sources",
    "open_client",
]
