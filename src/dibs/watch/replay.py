"""Runs recorded answers through detection again, under a policy that is only being tried. Touches nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from dibs.config import Policy
from dibs.sources import Failure, Source, Target
from dibs.watch.detect import detect
from dibs.watch.model import Change, Detection, Memory, Outcome, State
from dibs.watch.record import Recording


@dataclass(frozen=True, slots=True)
class Replayed:
    """One recorded answer, and what the policy would have made of it."""

    watch_key: str
    seen_at: datetime
    outcome: Outcome
    reason: str
    events: tuple[Change, ...] = ()


@dataclass(slots=True)
class Replay:
    """One watch's past. The hub's memory is kept here, as the database would keep it."""

    source: Source
    policy: Policy
    state: State = field(default_factory=State)
    memory: dict[str, Memory] = field(default_factory=dict[str, Memory])

    def look(self, recording: Recording) -> Replayed:
        target = Target(recording.bucket_id, recording.query)
        seen = self.source.read(recording.answer(), target)
        if isinstance(seen, Failure):
            return Replayed(recording.watch_key, recording.seen_at, Outcome.FAILED, seen.reason)
        known = replace(self.state, memory=self.memory)
        found = detect(known, seen, self.policy, recording.seen_at)
        self._remember(found, recording.seen_at)
        return Replayed(recording.watch_key, recording.seen_at, found.outcome, found.reason, tuple(found.events))

    def _remember(self, found: Detection, at: datetime) -> None:
        self.state = found.state
        for change in found.changes:
            if change.slot is None:
                continue
            old = self.memory.get(change.slot_key)
            announced = change.event is not None and change.event.status_after == "Open"
            self.memory[change.slot_key] = Memory(
                open=change.slot.open,
                generation=change.slot.generation,
                opened_event_at=at if announced else old.opened_event_at if old else None,
                closed_event_at=(old.closed_event_at if old else None) if change.slot.open else at,
                quiet=change.slot.quiet,
            )


def replay(recordings: Iterable[Recording], source: Source, policy: Policy) -> Iterator[Replayed]:
    """All recordings of one provider in the order of time; each watch has its own past."""
    pasts: dict[str, Replay] = {}
    for recording in sorted(recordings, key=lambda one: one.seen_at):
        past = pasts.setdefault(recording.watch_key, Replay(source, policy))
        yield past.look(recording)
