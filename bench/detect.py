"""`detect`: from the bytes of a search answer to the verdict, against the least that anybody has to do.

A resy answer of 10,000 slots (1.3 MB) in which 10 changed. The floor decodes it with the same typed decoder,
builds the set of its 10,000 keys and takes the difference to the set from before. An unchanged answer goes from the
response to the verdict "the same as before"; its floor hashes the body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec

from bench.harness import Bench, Result
from dibs.config import ResyProvider
from dibs.sources import Answer, Failure, Request, Response, Target
from dibs.sources.body import source_hash
from dibs.sources.model import UNCONDITIONAL
from dibs.sources.resy import ResySource
from dibs.sources.resy_wire import PAGE, VenueId
from dibs.watch.detect import detect
from dibs.watch.model import Memory, State
from dibs.watch.survey import survey

DAY = "2026-10-22"
VENUES, STARTS = 500, 20
NOW = datetime(2026, 10, 1, 12, 0, tzinfo=UTC)
POLICY = ResyProvider().policy


def document(gone: int = 0, come: int = 0) -> bytes:
    """All venues with all their starts, some of them gone and some new."""
    hits = [_hit(venue, [_start(n) for n in range(STARTS)]) for venue in range(VENUES)]
    for venue in range(gone):
        hits[venue]["availability"]["slots"].pop()
    hits += [_hit(VENUES + venue, [_start(0)]) for venue in range(come)]
    search = {"nbHits": len(hits), "nbPages": 1, "hitsPerPage": 1000, "hits": hits}
    return msgspec.json.encode({"meta": {"total": len(hits), "page": 1, "total_pages": 1}, "search": search})


def _start(number: int) -> str:
    return f"{DAY} {17 + number // 4:02d}:{number % 4 * 15:02d}:00"


def _hit(venue: int, starts: list[str]) -> dict[str, Any]:
    slots = [
        {"date": {"start": start, "end": start}, "config": {"id": 1_829_820 + n, "type": "Dining Room"}}
        for n, start in enumerate(starts)
    ]
    return {
        "id": {"resy": venue},
        "name": f"Venue {venue}",
        "url_slug": f"venue-{venue}",
        "neighborhood": "Harbour",
        "location": {"code": "ny", "id": 1, "name": "New York", "url_slug": "new-york-ny"},
        "cuisine": ["Steakhouse"],
        "images": [f"https://images.example/venues/{venue}/{size}/front.jpg" for size in ("small", "large")],
        "availability": {"slots": slots},
    }


async def run(bench: Bench) -> list[Result]:
    source = ResySource("resy", ResyProvider(party_sizes=[2]))
    target = source.target({"date": DAY, "time_slot": "20:30"})
    before, after = _answer(document()), _answer(document(gone=5, come=5))
    first = source.read(before, target)
    assert not isinstance(first, Failure)
    state = detect(State(), first, POLICY, NOW).state
    state = replace(state, memory={key: Memory(open=True, generation=1) for key in state.tracked})
    old_keys = set(state.tracked)
    assert len(old_keys) == 10_000

    def ours() -> int:
        seen = source.read(after, target)
        assert not isinstance(seen, Failure)
        found = survey(state, seen, POLICY, NOW)
        return len(detect(state, seen, POLICY, NOW, found=found).changes)

    def floor() -> int:
        keys = {
            f"{hit.id.resy if isinstance(hit.id, VenueId) else hit.id}|{slot.date.start}"
            for hit in PAGE.decode(after.bodies[0]).search.hits
            for slot in (hit.availability.slots if hit.availability else None) or ()
        }
        return len(keys - old_keys) + len(old_keys - keys)

    assert ours() == floor() == 10
    repeat = bench.sized(40, 5)
    changed, bare = await bench.compare(_times(ours, repeat), _times(floor, repeat), rounds=9)
    same, hashing = await bench.compare(
        _looks(source, target, before, repeat * 10),
        _times(lambda: sha256(before.bodies[0]).hexdigest(), repeat * 10),
        rounds=9,
    )
    size = f"{len(after.bodies[0]) / 1e6:.1f} MB, 10,000 slots"
    return [
        Result("detect", 1000 / changed, "ms", floor=1000 / bare, at_most=1.5, note=f"{size}, 10 changed"),
        Result("detect unchanged", 1000 / same, "ms", floor=1000 / hashing, at_most=1.3, note=size),
    ]


def _answer(body: bytes) -> Answer:
    return Answer((body,), source_hash([body]), ("2/1",))


def _looks(source: ResySource, target: Target, before: Answer, repeat: int) -> Any:
    """Whole looks at a provider that answers what it answered before."""

    async def ask(_request: Request) -> Response:
        return Response(200, before.bodies[0], UNCONDITIONAL, "application/json")

    async def repeated() -> int:
        for _ in range(repeat):
            answer = await source.look(ask, target, UNCONDITIONAL)
            assert isinstance(answer, Answer)
            assert answer.source_hash == before.source_hash
        return repeat

    return repeated


def _times(work: Callable[[], object], repeat: int) -> Any:
    async def repeated() -> int:
        for _ in range(repeat):
            work()
        return repeat

    return repeated
