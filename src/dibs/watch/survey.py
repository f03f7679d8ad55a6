"""Find what differs between a look and what the watch knew, and whether the look is to be believed.

With the differences come the slots whose memory decides something, which the caller has to bring. Pure.
"""

from dataclasses import dataclass
from datetime import datetime

from dibs.config import Policy
from dibs.sources.model import Observation
from dibs.watch.gate import GateInput, GateVerdict, judge
from dibs.watch.model import State


@dataclass(frozen=True, slots=True)
class Survey:
    """The differences between a look and what the watch knew."""

    added: frozenset[str]
    absent: frozenset[str]
    again: frozenset[str]
    complete: bool
    gate: GateVerdict

    @property
    def touched(self) -> frozenset[str]:
        """The slots whose memory decides something in this look."""
        return self.added | self.again | (self.absent if self.may_close or not self.complete else frozenset())

    @property
    def may_close(self) -> bool:
        return self.complete and self.gate.trusted


def survey(state: State, seen: Observation, policy: Policy, now: datetime, *, quietly: bool = False) -> Survey:
    """What differs. `quietly`: a person says that what is there now is the truth; only emptiness is still doubted."""
    found, tracked = seen.found.keys(), state.tracked.keys()
    absent = frozenset(tracked - found) - seen.blurred
    complete = seen.complete and not _more_unreadable(state, seen)
    gate = GateVerdict(trusted=True, suspicion=state.suspicion)
    if complete and state.bootstrapped:
        shape = _gate_input(state, seen, absent)
        if shape.empty or not quietly:
            gate = judge(state.counts, state.suspicion, shape, policy, now)
    return Survey(
        added=frozenset(found - tracked),
        absent=absent,
        again=frozenset(state.pending.keys() & found),
        complete=complete,
        gate=gate,
    )


def _more_unreadable(state: State, seen: Observation) -> bool:
    """Whether records hide what was readable before; each may be a slot that we track."""
    return state.bootstrapped and seen.nameless > state.nameless


def _gate_input(state: State, seen: Observation, absent: frozenset[str]) -> GateInput:
    # A slot that the answer names as closed is not missing, and one that another watch sees is not lost.
    missing = absent - seen.shut - elsewhere_of(state)
    missed = {key for key, pending in state.pending.items() if pending.missed}
    quiet = sum(1 for pending in state.pending.values() if pending.quiet)
    return GateInput(
        known=len(state.tracked) - quiet,
        found=len(seen.found),
        newly_missing=len(missing - missed),
        missing=len(missing),
        empty=not seen.found and not seen.shut,
    )


def elsewhere_of(state: State) -> set[str]:
    """The slots that only other watches still see."""
    return {key for key, pending in state.pending.items() if pending.elsewhere}


def unseen_of(state: State) -> set[str]:
    """The slots that the watch tracks and does not hold for open."""
    return {key for key, pending in state.pending.items() if pending.quiet or pending.elsewhere}
