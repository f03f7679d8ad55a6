"""Writes what a look showed: one transaction, fenced by the lease, only what changed."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from dibs import openings
from dibs.clock import Clock
from dibs.config import Policy
from dibs.db import Connection, Database, Keyspace, advisory_lock, try_advisory_lock
from dibs.sources import Answer, Failure, Fault, Observation
from dibs.telemetry import emit, events_watch, metrics_watch, new_trace_id
from dibs.watch import catalog, events, state_store, store
from dibs.watch.cadence import CALM, Activity, Trouble, cooled, next_look
from dibs.watch.claim import Claimed
from dibs.watch.detect import FRESH_S, detect
from dibs.watch.gate import EMPTY, repeated
from dibs.watch.look import Looked
from dibs.watch.model import Detection, Outcome
from dibs.watch.result import PollResult
from dibs.watch.say import say_health
from dibs.watch.state_store import SlotRow
from dibs.watch.store import Beat
from dibs.watch.survey import survey
from dibs.watch.write import write_changes
from dibs.work import settle


class Settler:
    """The writing end of polling."""

    def __init__(self, database: Database, clock: Clock, dice: random.Random | None = None) -> None:
        self._database = database
        self._clock = clock
        # Spreads looks over time; nothing secret hangs on it.
        self._dice = dice or random.Random()  # noqa: S311

    # Nothing new -----------------------------------------------------------------------------------

    async def beats(self, looks: Sequence[Looked]) -> dict[str, PollResult]:
        """Heartbeats of watches of one provider, together: one statement."""
        provider = looks[0].claimed.provider
        async with self._database.connection() as connection:
            snapshots = await store.heartbeat(
                connection,
                provider=provider.name,
                beats=[self._beat(one) for one in looks],
                now=self._clock.for_database(),
            )
            alive = [one.claimed for one in looks if one.claimed.key in snapshots]
            # A count that is lost makes the careful pace last a little longer, so it needs no transaction.
            await provider.pace.succeeded(connection, [claimed.lane for claimed in alive])
        for claimed in alive:
            say_health(claimed, None, Outcome.UNCHANGED)
        return {one.claimed.key: self._beat_result(one, snapshots) for one in looks}

    def _beat(self, looked: Looked) -> Beat:
        claimed, activity = looked.claimed, _activity(looked.claimed, 0)
        return Beat(
            watch_key=claimed.key,
            token=claimed.token,
            lane=claimed.lane.number,
            holder=claimed.lane.holder,
            gap_s=claimed.provider.pace.gap_s(claimed.lane),
            due_at=self._next(claimed, looked.seen_at, activity),
            looked_at=claimed.claimed_at,
            seen_at=looked.seen_at,
            requests=looked.requests,
            duration_ms=looked.duration_ms,
            heat=activity.heat,
            quiet_polls=activity.quiet_polls,
        )

    def _beat_result(self, looked: Looked, snapshots: dict[str, int]) -> PollResult:
        key = looked.claimed.key
        if key not in snapshots:
            return _lost(looked)
        _count(looked, Outcome.UNCHANGED)
        return PollResult(key, snapshots[key], "unchanged", open_count=looked.claimed.row.open_count)

    # A failure ---------------------------------------------------------------------------------------

    async def failure(self, looked: Looked, failure: Failure) -> PollResult:
        claimed = looked.claimed
        failures = claimed.row.consecutive_failures + 1
        mistake = failure.fault is Fault.CONFIGURATION
        trouble = Trouble(failures, mistake, retry_after_s=failure.retry_after_s)
        due = self._next(claimed, looked.seen_at, _activity(claimed, 0), trouble)
        async with self._database.transaction() as connection:
            await claimed.provider.pace.rest(connection, [claimed.lane])
            held = await settle(connection, claimed.provider.queue, claimed.token, {claimed.key: due})
            await self._heed(connection, claimed, failure)
            if not held:
                return _lost(looked)
            snapshot = await self._snapshot(connection, looked, Outcome.FAILED, failure.reason)
            await store.settle_watch(
                connection,
                _settled(
                    looked,
                    Outcome.FAILED,
                    failure.reason,
                    failures=failures,
                    configuration_fault=mistake,
                    keep_validators=True,
                ),
            )
        _count(looked, Outcome.FAILED)
        say_health(claimed, failure, Outcome.FAILED)
        return PollResult(claimed.key, snapshot, "failed", open_count=claimed.row.open_count, reason=failure.reason)

    @staticmethod
    async def _heed(connection: Connection, claimed: Claimed, failure: Failure) -> None:
        """What a failure means for everybody who asks this provider, also if it cost a look only one of its pages."""
        until = await claimed.provider.pace.failed(connection, failure)
        if failure.releases_claims and until:
            await store.release_claims(connection, provider=claimed.row.provider, until=until)

    # Something to read -------------------------------------------------------------------------------

    async def observation(
        self, looked: Looked, answer: Answer, seen: Observation, *, quietly: bool = False
    ) -> PollResult:
        claimed = looked.claimed
        policy = claimed.provider.policy(claimed.row.policy)
        async with self._database.transaction() as connection:
            # Changed looks of one provider write one after the other, so that a slot that two watches see
            # is opened by one of them.
            alone = await try_advisory_lock(connection, Keyspace.POLL, claimed.key)
            await advisory_lock(connection, Keyspace.SLOT, claimed.row.provider)
            await claimed.provider.pace.rest(connection, [claimed.lane])
            known, detection = await self._detect(connection, looked, seen, policy, quietly=quietly)
            if answer.reason and detection.outcome in (Outcome.PARTIAL, Outcome.BOOTSTRAPPED):
                detection = replace(detection, reason=answer.reason)
            held = alone and await self._claim_settled(connection, looked, detection)
            if not held:
                return _lost(looked)
            # Most of these answer nothing that is waited for, so they travel together.
            async with connection.pipeline():
                result = await self._write(connection, looked, answer, seen, known, detection)
            await self._pace_after(connection, looked, answer, detection)
        self._say(looked, seen, detection)
        return result

    async def _detect(
        self, connection: Connection, looked: Looked, seen: Observation, policy: Policy, *, quietly: bool
    ) -> tuple[dict[str, SlotRow], Detection]:
        claimed, at = looked.claimed, looked.seen_at
        state = state_store.state_of(
            await state_store.load_state(connection, watch_key=claimed.key),
            await state_store.list_watch_slots(connection, watch_key=claimed.key),
            claimed.row.looked_at,
        )
        state = replace(state, counts=repeated(state.counts, claimed.row.beats))
        found = survey(state, seen, policy, at, quietly=quietly)
        touched = found.touched
        known = await self._remember(connection, claimed, touched, at)
        seen = await catalog.described(connection, claimed.provider, claimed.target, seen, touched)
        state = replace(state, memory={key: row.memory for key, row in known.items()})
        return known, detect(state, seen, policy, at, found=found, quietly=quietly)

    async def _remember(
        self, connection: Connection, claimed: Claimed, slot_keys: frozenset[str], at: datetime
    ) -> dict[str, SlotRow]:
        if not slot_keys:
            return {}
        provider = claimed.row.provider
        rows = await state_store.remember_slots(
            connection,
            watch_key=claimed.key,
            slot_ids=[openings.slot_id_of(provider, key) for key in slot_keys],
            fresh_after=at - timedelta(seconds=FRESH_S),
        )
        return {row.slot_key: row for row in rows}

    async def _claim_settled(self, connection: Connection, looked: Looked, detection: Detection) -> bool:
        claimed = looked.claimed
        trouble = Trouble(suspect=True) if detection.state.suspicion else CALM
        activity = _activity(claimed, _announced(detection))
        due = self._next(claimed, looked.seen_at, activity, trouble)
        held = await settle(connection, claimed.provider.queue, claimed.token, {claimed.key: due})
        return bool(held)

    async def _write(
        self,
        connection: Connection,
        looked: Looked,
        answer: Answer,
        seen: Observation,
        known: dict[str, SlotRow],
        detection: Detection,
    ) -> PollResult:
        claimed, state = looked.claimed, detection.state
        count = state.seen_open
        opened, closed = len(detection.opened), len(detection.closed)
        snapshot = await self._snapshot(
            connection,
            looked,
            detection.outcome,
            detection.reason,
            source_hash=answer.source_hash,
            open_count=count,
            opened=opened,
            closed=closed,
            skipped=seen.skipped,
        )
        scene = events.Scene(
            source=claimed.provider.source,
            watch_key=claimed.key,
            bucket_id=claimed.row.bucket_id,
            known=known,
            at=looked.seen_at,
            trace_id=new_trace_id(),
            detected_by=claimed.provider.source.detected_by,
            snapshot_id=snapshot,
        )
        await write_changes(connection, detection.changes, scene)
        await state_store.put_state(connection, watch_key=claimed.key, state=state)
        readable = detection.settled and answer.whole and state.look.complete
        await store.settle_watch(
            connection,
            _settled(
                looked,
                detection.outcome,
                detection.reason,
                good=detection.outcome is not Outcome.SUSPECT,
                changed=bool(opened or closed),
                open_count=count,
                heat=cooled(claimed.row.heat, _announced(detection)),
                quiet_polls=0 if opened or closed else claimed.row.quiet_polls + 1,
                source_hash=answer.source_hash if readable else None,
                etag=answer.validators.etag if readable else None,
                last_modified=answer.validators.last_modified if readable else None,
            ),
        )
        return PollResult(claimed.key, snapshot, detection.outcome.value, opened, closed, count, detection.reason)

    async def _pace_after(self, connection: Connection, looked: Looked, answer: Answer, detection: Detection) -> None:
        pace = looked.claimed.provider.pace
        if answer.trouble:
            await self._heed(connection, looked.claimed, answer.trouble)
        elif detection.outcome is Outcome.SUSPECT and detection.reason == EMPTY:
            await pace.soft_outage(connection)
        else:
            await pace.succeeded(connection, [looked.claimed.lane])

    async def _snapshot(
        self, connection: Connection, looked: Looked, outcome: Outcome, reason: str, **more: Any
    ) -> int:
        row = looked.claimed.row
        values: dict[str, Any] = {
            "watch_key": row.watch_key,
            "provider": row.provider,
            "seen_at": looked.seen_at,
            "source_hash": None,
            "outcome": outcome,
            "reason": reason,
            "open_count": row.open_count,
            "opened": 0,
            "closed": 0,
            "skipped": 0,
            "requests": looked.requests,
            "duration_ms": looked.duration_ms,
        }
        return await state_store.add_snapshot(connection, values | more)

    def _next(self, claimed: Claimed, at: datetime, activity: Activity, trouble: Trouble = CALM) -> datetime:
        cadence = claimed.provider.cadence(claimed.row.cadence)
        return next_look(cadence, activity, trouble, at, self._dice.random())

    @staticmethod
    def _say(looked: Looked, seen: Observation, detection: Detection) -> None:
        claimed = looked.claimed
        _count(looked, detection.outcome)
        say_health(claimed, None, detection.outcome)
        if seen.skipped:
            metrics_watch.RECORDS_SKIPPED.labels(claimed.row.provider).inc(seen.skipped)
            emit(events_watch.RECORDS_SKIPPED, watch=claimed.key, skipped=seen.skipped)
        if detection.outcome is Outcome.SUSPECT and claimed.row.outcome != Outcome.SUSPECT:
            emit(events_watch.WATCH_SUSPECT, watch=claimed.key, reason=detection.reason)
        elif claimed.row.outcome == Outcome.SUSPECT and detection.state.suspicion is None:
            emit(events_watch.WATCH_TRUSTED, watch=claimed.key, reason=detection.reason)


def _settled(looked: Looked, outcome: Outcome, reason: str, **more: Any) -> dict[str, Any]:
    row = looked.claimed.row
    values: dict[str, Any] = {
        "watch_key": row.watch_key,
        "outcome": outcome,
        "reason": reason,
        "seen_at": looked.seen_at,
        "looked_at": looked.claimed.claimed_at,
        "good": False,
        "changed": False,
        "open_count": None,
        "failures": 0,
        "configuration_fault": False,
        "heat": row.heat,
        "quiet_polls": row.quiet_polls,
        "keep_validators": False,
        "source_hash": None,
        "etag": None,
        "last_modified": None,
    }
    return values | more


def _activity(claimed: Claimed, announced: int) -> Activity:
    row = claimed.row
    return Activity(cooled(row.heat, announced), 0 if announced else row.quiet_polls + 1, row.target_date)


def _announced(detection: Detection) -> int:
    return sum(1 for change in detection.events if change.event and change.event.status_after == "Open")


def _lost(looked: Looked) -> PollResult:
    emit(events_watch.WATCH_LEASE_LOST, watch=looked.claimed.key)
    return PollResult(looked.claimed.key, None, "lost", open_count=looked.claimed.row.open_count)


def _count(looked: Looked, outcome: Outcome) -> None:
    provider = looked.claimed.row.provider
    metrics_watch.POLLS.labels(provider, outcome.value).inc()
    metrics_watch.POLL_SECONDS.labels(provider).observe(looked.duration_ms / 1000)
