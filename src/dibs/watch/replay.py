"""Runs recorded looks through detection again, under a policy that is only being tried. Touches nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from dibs.config import Policy
from dibs.sources import Answer, Failure, Observation, Source, Target
from dibs.watch.detect import FRESH_S, detect
from dibs.watch.gate import repeated
from dibs.watch.model import Change, Detection, Memory, Outcome, State
from dibs.watch.record import Recording
from dibs.watch.survey import survey


@dataclass(frozen=True, slots=True)
class Replayed:
    """One recorded look, and what the policy would have made of it."""

    watch_key: str
    seen_at: datetime
    outcome: Outcome
    reason: str = ""
    events: tuple[Change, ...] = ()


@dataclass(slots=True)
class Past:
    """What one watch knew, and the answer it had last."""

    state: State = field(default_factory=State)
    answer: Answer | None = None


@dataclass(slots=True)
class Replay:
    """The past of one provider: each watch has its own view, and the slots are shared, as the database keeps them."""

    source: Source
    policy: Policy
    pasts: dict[str, Past] = field(default_factory=dict[str, Past])
    memory: dict[str, Memory] = field(default_factory=dict[str, Memory])

    def look(self, recording: Recording) -> Replayed | None:
        """None for a look that only says "as before" where what was before is not among the recordings."""
        past = self.pasts.setdefault(recording.watch_key, Past())
        if not recording.same:
            past.answer = recording.answer()
        elif past.state.settled:
            return _beat(past, recording)
        if past.answer is None:
            return None
        seen = self.source.read(past.answer, Target(recording.bucket_id, recording.query))
        if isinstance(seen, Failure):
            return Replayed(recording.watch_key, recording.seen_at, Outcome.FAILED, seen.reason)
        detection = self._detect(recording, past.state, seen)
        past.state = detection.state
        for change in detection.changes:
            self._remember(change, recording)
        events = tuple(detection.events)
        return Replayed(recording.watch_key, recording.seen_at, detection.outcome, detection.reason, events)

    def _detect(self, recording: Recording, state: State, seen: Observation) -> Detection:
        at = recording.seen_at
        found = survey(state, seen, self.policy, at)
        known = {key: self._known(key, recording) for key in found.touched if key in self.memory}
        return detect(replace(state, memory=known), seen, self.policy, at, found=found)

    def _known(self, slot_key: str, recording: Recording) -> Memory:
        fresh_after = recording.seen_at - timedelta(seconds=FRESH_S)
        elsewhere = any(
            _vouches(past.state, slot_key, fresh_after)
            for watch_key, past in self.pasts.items()
            if watch_key != recording.watch_key
        )
        return replace(self.memory[slot_key], seen_elsewhere=elsewhere)

    def _remember(self, change: Change, recording: Recording) -> None:
        if change.slot is None:
            return
        self.memory[change.slot_key] = _after(change, self.memory.get(change.slot_key), recording.seen_at)
        if change.slot.open or change.slot.quiet:
            return
        for watch_key, past in self.pasts.items():
            if watch_key != recording.watch_key and change.slot_key in past.state.tracked:
                past.state = _without(past.state, change.slot_key)


def _beat(past: Past, recording: Recording) -> Replayed:
    """Nothing is undecided, so the same answer again is only one more that counts."""
    state = past.state
    look = replace(state.look, at=recording.seen_at)
    past.state = replace(state, counts=repeated(state.counts, 1), look=look)
    return Replayed(recording.watch_key, recording.seen_at, Outcome.UNCHANGED)


def _vouches(state: State, slot_key: str, fresh_after: datetime) -> bool:
    pending = state.pending.get(slot_key)
    fresh = state.look.at is not None and state.look.at > fresh_after
    return fresh and slot_key in state.tracked and pending is None


def _without(state: State, slot_key: str) -> State:
    tracked = {key: group for key, group in state.tracked.items() if key != slot_key}
    pending = {key: one for key, one in state.pending.items() if key != slot_key}
    return replace(state, tracked=tracked, pending=pending)


def _after(change: Change, old: Memory | None, at: datetime) -> Memory:
    """The hub's row of a slot after its verdict."""
    slot, old = change.slot, old or Memory(open=False, generation=0)
    if slot is None:
        return old
    announced = change.event is not None and change.event.status_after == "Open"
    silent_since = old.silent_since
    if slot.open and slot.generation != old.generation:
        silent_since = at
    return Memory(
        open=slot.open,
        generation=slot.generation,
        opened_event_at=at if announced else old.opened_event_at,
        closed_event_at=old.closed_event_at if slot.open else at,
        quiet=slot.quiet,
        silent_since=None if announced else silent_since,
    )


def replay(recordings: Iterable[Recording], source: Source, policy: Policy) -> Iterator[Replayed]:
    """All recorded looks of one provider in the order of time."""
    past = Replay(source, policy)
    for recording in sorted(recordings, key=lambda one: one.seen_at):
        replayed = past.look(recording)
        if replayed:
            yield replayed
