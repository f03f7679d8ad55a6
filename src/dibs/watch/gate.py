"""The integrity gate: a sudden drop is a question about the answer, not yet a fact about the target."""

from dataclasses import dataclass
from datetime import datetime

from dibs.config import Policy
from dibs.watch.model import Suspicion

REMEMBERED_COUNTS = 16
EMPTY = "empty_answer"
DROP = "sudden_drop"


@dataclass(frozen=True, slots=True)
class GateInput:
    """`newly_missing` were seen by the look before that could see them, `missing` also counts those missed earlier.

    `known` are all that the watch holds for open.
    """

    found: int
    newly_missing: int
    missing: int
    empty: bool
    known: int = 0


@dataclass(frozen=True, slots=True)
class GateVerdict:
    trusted: bool
    accepted: bool = False
    suspicion: Suspicion | None = None
    reason: str = ""


def baseline(counts: tuple[int, ...]) -> int:
    """What to expect: the larger of the last good count and the lower median of the remembered ones."""
    if not counts:
        return 0
    ordered = sorted(counts)
    return max(counts[-1], ordered[(len(ordered) - 1) // 2])


def remember(counts: tuple[int, ...], count: int) -> tuple[int, ...]:
    return (*counts, count)[-REMEMBERED_COUNTS:]


def repeated(counts: tuple[int, ...], beats: int) -> tuple[int, ...]:
    """The counts with those of the heartbeats since: each saw what the last look saw."""
    return (*counts, *counts[-1:] * min(beats, REMEMBERED_COUNTS))[-REMEMBERED_COUNTS:]


def judge(
    counts: tuple[int, ...], suspicion: Suspicion | None, seen: GateInput, policy: Policy, now: datetime
) -> GateVerdict:
    # Where no look was ever whole, what those in part have shown is all there is to expect.
    expected = baseline(counts) if counts else seen.known
    if expected == 0:
        return GateVerdict(trusted=True)
    if suspicion is None:
        return _enter(expected, seen, policy, now)
    if not seen.empty and seen.missing < _threshold(expected, policy.gate_drop_ratio / 2, policy):
        return GateVerdict(trusted=True, reason="recovered")
    return _confirm(expected, suspicion, seen, policy, now)


def _enter(expected: int, seen: GateInput, policy: Policy, now: datetime) -> GateVerdict:
    dropped = seen.newly_missing >= _threshold(expected, policy.gate_drop_ratio, policy)
    if not (seen.empty or dropped):
        return GateVerdict(trusted=True)
    reason = EMPTY if seen.empty else DROP
    return GateVerdict(trusted=False, suspicion=Suspicion(since=now, samples=1, count=seen.found), reason=reason)


def _confirm(expected: int, suspicion: Suspicion, seen: GateInput, policy: Policy, now: datetime) -> GateVerdict:
    """Samples that agree with each other for long enough are the truth; one that differs starts anew."""
    tolerance = _threshold(expected, policy.gate_drop_ratio / 2, policy)
    reason = EMPTY if seen.empty else DROP
    if abs(seen.found - suspicion.count) >= tolerance:
        return GateVerdict(trusted=False, suspicion=Suspicion(since=now, samples=1, count=seen.found), reason=reason)
    samples = suspicion.samples + 1
    waited = (now - suspicion.since).total_seconds()
    if samples >= policy.gate_confirm_samples and waited >= policy.gate_confirm_s:
        return GateVerdict(trusted=True, accepted=True, reason="drop_accepted")
    kept = Suspicion(since=suspicion.since, samples=samples, count=suspicion.count)
    return GateVerdict(trusted=False, suspicion=kept, reason=reason)


def _threshold(expected: int, ratio: float, policy: Policy) -> float:
    return max(ratio * expected, policy.gate_min_drop)
