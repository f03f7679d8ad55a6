"""The life of requests against an oracle: sightings, runs, crashes, clock jumps, in any order.

Never inside a cooldown, never lost, never two at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demand_harness import World
from dibs.clock import FakeClock
from dibs.demand.decide import Sighting
from dibs.demand.model import Attempt, Outcome, Reason, Run, RunResult, Sort, TimeFilter, Wanted
from dibs.parts import Parts
from dibs.places.model import EntityType

START = datetime.fromisoformat("2026-03-02T12:00:00+00:00")
PLACES = {"austinfood": 15.0, "dallasfood": 60.0}
LEASE_S = 60.0
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)

Identity = tuple[str, str, str, str | None]
Place = tuple[str, str, str]


@dataclass
class Request:
    """What the oracle believes of one request."""

    identity: Identity
    request_id: int
    count: int = 0
    status: str = "pending"
    due_at: datetime | None = None
    place: str | None = None
    lease_until: datetime | None = None

    @property
    def target(self) -> Place:
        assert self.place
        return (self.identity[0], self.identity[1], self.place)


@dataclass
class Oracle:
    """The rules once more, as plainly as they can be said, over dictionaries."""

    requests: dict[Identity, Request] = field(default_factory=dict[Identity, Request])
    cooldowns: dict[Place, datetime] = field(default_factory=dict[Place, datetime])
    errors: dict[Place, int] = field(default_factory=dict[Place, int])
    sorts: dict[Place, set[str]] = field(default_factory=dict[Place, set[str]])

    def active(self, target: Place) -> Request | None:
        busy = [one for one in self.requests.values() if one.status in {"queued", "processing"}]
        found = [one for one in busy if one.target == target]
        assert len(found) <= 1, "two at once"
        return found[0] if found else None

    def waiting(self) -> int:
        return sum(one.status == "queued" for one in self.requests.values())

    def rests(self, target: Place, now: datetime) -> bool:
        return target in self.cooldowns and now < self.cooldowns[target]

    def sight(self, request: Request, place: str | None, small: bool, enough: bool, now: datetime) -> str:
        request.count += 1
        if request.status == "pending" and request.due_at is None:
            request.place = place or request.place
        target = (request.identity[0], request.identity[1], place or "")
        if request.status in {"queued", "processing"} or (place and self.active(target)):
            return "already_running"
        if enough:
            return "enough_results"
        if place is None:
            return "recorded_no_location"
        if small:
            return "recorded_small_viewport"
        if self.rests(target, now):
            return "cooldown"
        request.place = place
        if self.waiting() >= 3:
            request.status, request.due_at = "pending", now + 5 * MINUTE
            self.cooldowns[target] = now + 5 * MINUTE
            return "deferred"
        request.status, request.due_at = "queued", now
        return "queued"

    def promote(self, now: datetime) -> set[int]:
        due = [
            one
            for one in self.requests.values()
            if one.status in {"pending", "completed"} and one.due_at is not None and one.due_at <= now
        ]
        due.sort(key=lambda one: (one.due_at, one.request_id))
        chosen = sorted(due[: max(0, 3 - self.waiting())], key=lambda one: one.request_id)
        promoted: list[Request] = []
        refused: list[Request] = []
        for one in chosen:
            taken = self.active(one.target) or one.target in {other.target for other in promoted}
            (refused if taken or self.rests(one.target, now) else promoted).append(one)
        for one in refused:
            one.due_at = max(self.cooldowns.get(one.target, now), now + 5 * MINUTE)
        for one in promoted:
            one.status, one.due_at = "queued", now
        return {one.request_id for one in promoted}

    def claimable(self, now: datetime) -> list[Request]:
        return [
            one
            for one in self.requests.values()
            if one.status in {"queued", "processing"}
            and one.due_at is not None
            and one.due_at <= now
            and (one.lease_until is None or one.lease_until <= now)
        ]

    def settle(self, request: Request, outcome: Outcome, now: datetime) -> None:
        target = request.target
        days = PLACES[target[2]]
        self.errors[target] = self.errors.get(target, 0) + 1 if outcome is Outcome.ERROR else 0
        rest = {
            Outcome.SUCCESS: days * DAY,
            Outcome.NO_RESULTS: max(60.0, 3 * days) * DAY,
            Outcome.ERROR: min(360, 5 * 2 ** (max(self.errors[target], 1) - 1)) * MINUTE,
            Outcome.DEFERRED: 5 * MINUTE,
        }[outcome]
        self.cooldowns[target] = request.due_at = now + rest
        request.status = "completed" if outcome in {Outcome.SUCCESS, Outcome.NO_RESULTS} else "pending"
        request.lease_until = None
        self.sorts.setdefault(target, set()).add("new")


@dataclass
class Play:
    """Does each step to the database and to the oracle, and compares."""

    parts: Parts
    clock: FakeClock
    oracle: Oracle = field(default_factory=Oracle)
    held: list[Run] = field(default_factory=list[Run])

    def by_id(self, request_id: int) -> Request:
        return next(one for one in self.oracle.requests.values() if one.request_id == request_id)

    async def sight(self, term: str, kind: str, reason: str, place: str | None, small: bool, enough: bool) -> None:
        identity = (term, kind, reason, place if kind == "restaurant" else None)
        wanted = Wanted(term.upper() if small else term, EntityType(kind), Reason(reason))
        sighting = Sighting(25 if enough else 0, 1.0 if small else 5.0, place)
        told = await self.parts.sight([wanted], sighting)
        (target,) = told.targets
        request = self.oracle.requests.setdefault(identity, Request(identity, target.request_id))
        assert request.request_id == target.request_id
        expected = self.oracle.sight(request, place, small, enough, self.clock.now())
        assert str(target.decision) == expected
        assert told.queued == (expected == "queued") == (told.message is not None) == (told.eta_ms is not None)

    async def promote(self) -> None:
        promoted = await self.parts.collection_queue.promote()
        assert set(promoted) == self.oracle.promote(self.clock.now())

    async def claim(self) -> None:
        now = self.clock.now()
        allowed = self.oracle.claimable(now)
        runs = await self.parts.collection_queue.claim(lease_s=LEASE_S)
        assert bool(runs) == bool(allowed)
        for run in runs:
            request = self.by_id(run.request_id)
            assert request in allowed
            assert request.due_at == min(one.due_at for one in allowed if one.due_at)
            assert not self.oracle.rests(request.target, now) or request.status == "processing"
            assert {str(sort) for sort in run.sort_history} == self.oracle.sorts.get(request.target, set())
            request.status = "processing"
            request.lease_until = now + timedelta(seconds=LEASE_S)
            self.held.append(run)

    async def settle(self, outcome: Outcome) -> None:
        if not self.held:
            return
        run = self.held.pop(0)
        request = self.by_id(run.request_id)
        newest = not any(other.request_id == run.request_id for other in self.held)
        now = self.clock.now()
        attempted = (Attempt(run.location_key, Sort.NEW, None, 1, now),)
        settled = await self.parts.collection_queue.settle(run, RunResult(outcome, attempted))
        assert settled == newest, "whoever lost the lease writes nothing"
        if settled:
            self.oracle.settle(request, outcome, now)

    def crash(self) -> None:
        """The worker is gone with what it knew; its lease stays until it ends."""
        if self.held:
            self.held.pop()

    async def check(self) -> None:
        listed = await self.parts.collection_requests.list(limit=500)
        assert {one.request_id for one in listed} == {one.request_id for one in self.oracle.requests.values()}
        running: set[Place] = set()
        for row in listed:
            request = self.by_id(row.request_id)
            seen = (row.occurrence_count, str(row.status), row.due_at, row.run_location_key)
            assert seen == (request.count, request.status, request.due_at, request.place)
            if row.run_location_key:
                assert row.cooldown_until == self.oracle.cooldowns.get(request.target)
                assert set(row.sort_history) == self.oracle.sorts.get(request.target, set())
            if request.status in {"queued", "processing"}:
                assert request.target not in running
                running.add(request.target)


sightings = st.tuples(
    st.just("sight"),
    st.sampled_from(["uchi", "birria"]),
    st.sampled_from(["restaurant", "food"]),
    st.sampled_from(["low_result", "unresolved"]),
    st.sampled_from(["austinfood", "dallasfood", None]),
    st.sampled_from([False, False, False, True]),
    st.sampled_from([False, False, False, True]),
)
settles = st.tuples(
    st.just("settle"), st.sampled_from([Outcome.SUCCESS, Outcome.NO_RESULTS, Outcome.ERROR, Outcome.DEFERRED])
)
waits = st.tuples(
    st.just("wait"), st.sampled_from([0.0, 30.0, 61.0, 301.0, 7200.0, 86400.0, 15 * 86400.0, 61 * 86400.0, -3600.0])
)
others = st.tuples(st.sampled_from(["promote", "claim", "claim", "crash"]))
steps = st.lists(st.one_of(sightings, sightings, settles, waits, others, others), min_size=4, max_size=40)


@pytest.fixture
async def world(parts: Parts) -> World:
    world = World(parts)
    await world.cities()
    async with parts.db.connection() as connection:
        await connection.execute("UPDATE community SET safe_interval_days = 60 WHERE location_key = 'dallasfood'")
    return world


@settings(max_examples=100, derandomize=True)
@given(script=steps)
async def test_the_life_of_requests(
    world: World, parts: Parts, clock: FakeClock, script: list[tuple[object, ...]]
) -> None:
    async with parts.db.connection() as connection:
        await connection.execute("TRUNCATE collection_request, collection_target, collection_run CASCADE")
    clock.set(START)
    play = Play(parts, clock)
    for name, *arguments in script:
        match name:
            case "wait":
                clock.advance(float(str(arguments[0])))
            case "crash":
                play.crash()
            case _:
                await getattr(play, str(name))(*arguments)
        await play.check()
    await _drain(play)


async def _drain(play: Play) -> None:
    """Nothing is lost: whatever was to be collected is, once time passes and workers live."""
    play.held.clear()
    owed = {one.request_id for one in play.oracle.requests.values() if one.due_at is not None}
    ran: set[int] = set()
    for _ in range(60):
        play.clock.advance(200 * 86400)
        await play.promote()
        for _ in range(4):
            await play.claim()
            ran |= {run.request_id for run in play.held}
            while play.held:
                await play.settle(Outcome.SUCCESS)
        if owed <= ran:
            break
    assert owed <= ran
    await play.check()


async def test_the_oracle_notices_a_forgotten_cooldown(world: World, parts: Parts, clock: FakeClock) -> None:
    """A positive control: with the cooldowns wiped behind its back the play fails."""
    play = Play(parts, clock)
    await play.sight("uchi", "restaurant", "unresolved", "austinfood", False, False)
    await play.claim()
    await play.settle(Outcome.SUCCESS)
    async with parts.db.connection() as connection:
        await connection.execute("UPDATE collection_target SET cooldown_until = NULL")
    with pytest.raises(AssertionError):
        await play.sight("uchi", "restaurant", "low_result", "austinfood", False, False)


async def test_sort_history_survives_sightings_and_errors(world: World, parts: Parts, clock: FakeClock) -> None:
    play = Play(parts, clock)
    await play.sight("uchi", "restaurant", "unresolved", "austinfood", False, False)
    (run,) = await parts.collection_queue.claim()
    attempted = (
        Attempt("austinfood", Sort.NEW, None, 3, clock.now()),
        Attempt("austinfood", Sort.TOP, TimeFilter.YEAR, 30, clock.now()),
    )
    await parts.collection_queue.settle(run, RunResult(Outcome.ERROR, attempted, posts=33, error="relevance failed"))
    clock.advance(301)
    await parts.sight([Wanted("UCHI", EntityType.RESTAURANT, Reason.UNRESOLVED)], Sighting(0, None, "austinfood"))
    (again,) = await parts.collection_queue.claim()
    assert set(again.sort_history) == {Sort.NEW, Sort.TOP}
    assert again.sort_history[Sort.TOP].last_time_filter is TimeFilter.YEAR
    assert again.errors_in_a_row == 1
    row = await parts.collection_requests.get(run.request_id)
    assert row.occurrence_count == 2
