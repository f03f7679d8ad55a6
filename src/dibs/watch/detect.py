"""Decide what each difference between a look and what is known means.

Pure: no clock, no database. `survey` has found the differences, `detect` gives every one of them a verdict with
its reason.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from dibs.config import Policy
from dibs.sources.model import Detail, Observation
from dibs.watch.gate import remember
from dibs.watch.model import (
    Change,
    Detection,
    EventDraft,
    Look,
    Memory,
    Outcome,
    Pending,
    Reason,
    SlotAfter,
    SlotStatus,
    State,
)
from dibs.watch.survey import Survey, survey, unseen_of

UNTOUCHED = Pending()
UNKNOWN_CLOSE_S = 600.0
FRESH_S = 600.0
"""A watch that had no good look for this long no longer vouches for a slot."""


def detect(
    state: State,
    seen: Observation,
    policy: Policy,
    now: datetime,
    *,
    found: Survey | None = None,
    quietly: bool = False,
) -> Detection:
    """The verdict on one look. `quietly` refreshes what is known without any event (a baseline).

    `found` is the survey of this look, where the caller needed it before: memory has no part in it.
    """
    found = found or survey(state, seen, policy, now, quietly=quietly)
    if not state.bootstrapped or (quietly and found.gate.trusted):
        return _bootstrap(state, seen, found, now)
    changes = (
        *_openings(state, seen, found, policy, now),
        *_seen_again(state, found),
        *_absences(state, seen, found, policy, now),
    )
    return Detection(
        outcome=_outcome(found, changes),
        reason=_why(seen, found),
        changes=changes,
        state=_next_state(state, seen, found, changes, now),
    )


def _bootstrap(state: State, seen: Observation, found: Survey, now: datetime) -> Detection:
    changes = [*_recorded(state, seen, found), *_seen_again(state, found)]
    if found.complete:
        changes += [_dropped(state, key) for key in found.absent]
    after = _next_state(replace(state, counts=(), suspicion=None), seen, found, tuple(changes), now)
    after = replace(
        after,
        bootstrapped=True,
        nameless=seen.nameless,
        nameless_since=None,
        suspicion=None,
        counts=(len(seen.found),) if found.complete else (),
    )
    reason = "" if found.complete else _why(seen, found)
    return Detection(Outcome.BOOTSTRAPPED, reason, tuple(changes), after)


def _recorded(state: State, seen: Observation, found: Survey) -> Iterator[Change]:
    for key in found.added:
        memory, detail = state.memory.get(key), seen.describe(key)
        if detail.hidden or (memory and memory.open):
            yield _only_tracked(detail)
            continue
        after = SlotAfter(open=True, generation=memory.generation + 1 if memory else 1)
        yield Change(key, Reason.BOOTSTRAP, group_key=detail.group_key, slot=after, detail=detail)


def _dropped(state: State, key: str) -> Change:
    memory = state.memory.get(key)
    if memory is not None and memory.open and not memory.seen_elsewhere:
        return Change(key, Reason.BOOTSTRAP, slot=SlotAfter(open=False, generation=memory.generation))
    return _closed_before(state, key, Pending(misses=1)) or Change(key, Reason.CLOSED_ALREADY)


# Openings ------------------------------------------------------------------------------------------


def _openings(state: State, seen: Observation, found: Survey, policy: Policy, now: datetime) -> Iterator[Change]:
    if not found.added:
        return
    occupied = occupied_groups(state, policy)
    for key in sorted(found.added):
        memory = state.memory.get(key)
        if memory and memory.distrust_until and now < memory.distrust_until:
            yield Change(key, Reason.STALE_ANSWER)
        else:
            yield opening(seen.describe(key), memory, state.look, occupied, policy, now)


def occupied_groups(state: State, policy: Policy) -> frozenset[str]:
    """The groups that have something; only one rule asks."""
    if policy.open_rule != "group_from_zero":
        return frozenset()
    # Where the look before saw the group whole, what it lacked there was not there, whatever may still close.
    unseen = unseen_of(state) | {
        key
        for key, pending in state.pending.items()
        if pending.unknown_since is not None and state.look.could_see(state.tracked[key])
    }
    if not unseen:
        return frozenset(state.tracked.values())
    return frozenset(group for key, group in state.tracked.items() if key not in unseen)


def opening(
    detail: Detail, memory: Memory | None, look: Look, occupied: frozenset[str], policy: Policy, now: datetime
) -> Change:
    """The verdict on one slot that is there and was not."""
    if detail.hidden:
        return _only_tracked(detail)
    reason, before = _why_open(detail.group_key, memory, look, occupied, policy, now)
    # Another watch may have opened it without a word: it was new itself, or its group had slots. If that was after
    # our last look, then the edge is one that we saw, and it is still to be told.
    untold = reason is Reason.OPENED and memory is not None and look.was_before(memory.silent_since)
    if memory and memory.open and not untold:
        return _only_tracked(detail)
    after = SlotAfter(open=True, generation=_generation(memory, reason))
    event = EventDraft(before, "Open", 1, after.generation) if reason is Reason.OPENED else None
    return Change(detail.slot_key, reason, group_key=detail.group_key, slot=after, event=event, detail=detail)


def _only_tracked(detail: Detail) -> Change:
    """The watch remembers that it sees the slot; for everybody else nothing happened."""
    reason = Reason.NOT_IN_CATALOG if detail.hidden else Reason.ALREADY_OPEN
    return Change(detail.slot_key, reason, group_key=detail.group_key)


def _why_open(
    group: str, memory: Memory | None, look: Look, occupied: frozenset[str], policy: Policy, now: datetime
) -> tuple[Reason, SlotStatus]:
    if memory and memory.quiet:
        return Reason.RETURNED, "Unknown"
    if memory and recently_notified(memory, policy, now):
        return Reason.WITHIN_DEDUPE, "Closed"
    if group in occupied:
        return Reason.GROUP_HAD_SLOTS, "Closed"
    if look.could_see(group):
        return Reason.OPENED, "Closed"
    # Without groups the answer is one flat list: the slot is news, only its past is not known.
    if look.groups is None and policy.open_rule == "each":
        return Reason.OPENED, "Unknown"
    return Reason.UNKNOWN_BEFORE, "Unknown"


def recently_notified(memory: Memory, policy: Policy, now: datetime) -> bool:
    """Whether the slot's last opening is still inside its dedupe window."""
    told = memory.opened_event_at
    if told is None or policy.dedupe_s <= 0:
        return False
    closed = memory.closed_event_at
    if policy.close_clears_dedupe and closed is not None and closed >= told:
        return False
    return (now - told).total_seconds() <= policy.dedupe_s


def _generation(memory: Memory | None, reason: Reason) -> int:
    """A flap brings the same opening back; everything else is a new one."""
    if memory is None:
        return 1
    same = memory.open or reason in (Reason.WITHIN_DEDUPE, Reason.RETURNED)
    return memory.generation if same else memory.generation + 1


def _seen_again(state: State, found: Survey) -> Iterator[Change]:
    for key in sorted(found.again):
        memory = state.memory.get(key)
        if memory is None or memory.open:
            yield Change(key, Reason.SEEN_AGAIN, group_key=state.tracked[key])
            continue
        after = SlotAfter(open=True, generation=memory.generation)
        yield Change(key, Reason.RETURNED, group_key=state.tracked[key], slot=after)


# Absences ------------------------------------------------------------------------------------------


def _absences(state: State, seen: Observation, found: Survey, policy: Policy, now: datetime) -> Iterator[Change]:
    for key in sorted(found.absent):
        pending = state.pending.get(key, UNTOUCHED)
        if found.may_close:
            sure = found.gate.accepted or key in seen.shut
            yield _missed(state, key, pending, policy, now, sure=sure)
        elif not found.complete:
            change = _not_looked_at(state, key, pending, now)
            if change:
                yield change


def _missed(state: State, key: str, pending: Pending, policy: Policy, now: datetime, *, sure: bool) -> Change:
    memory, group = state.memory.get(key), state.tracked[key]
    if memory and memory.open and memory.distrust_until and now < memory.distrust_until:
        kept = pending if pending != UNTOUCHED else None
        return Change(key, Reason.STALE_ANSWER, group_key=group, pending=kept)
    after = Pending(misses=pending.misses + 1)
    if not sure and after.misses < policy.misses_to_close and not pending.quiet:
        return Change(key, Reason.MISSING, group_key=group, pending=after)
    return _closed_before(state, key, after) or closing(key, memory, "Closed", -1, Reason.CLOSED)


def _closed_before(state: State, key: str, pending: Pending) -> Change | None:
    """The verdict on a slot that is gone for us where that closes nothing, or nothing more."""
    memory = state.memory.get(key)
    if memory is None:
        return None
    if memory.open and memory.seen_elsewhere:
        kept = replace(pending, elsewhere=True)
        return Change(key, Reason.SEEN_ELSEWHERE, group_key=state.tracked[key], pending=kept)
    if not memory.open and memory.quiet:
        return Change(key, Reason.CLOSE_CONFIRMED, slot=SlotAfter(open=False, generation=memory.generation))
    return None


def _not_looked_at(state: State, key: str, pending: Pending, now: datetime) -> Change | None:
    """A slot that a partial look could not see is unknown; long enough unknown, it closes quietly."""
    if pending.quiet or pending.elsewhere:
        return None
    if pending.unknown_since is None:
        after = replace(pending, unknown_since=now)
        return Change(key, Reason.NOT_LOOKED_AT, group_key=state.tracked[key], pending=after)
    if (now - pending.unknown_since).total_seconds() < UNKNOWN_CLOSE_S:
        return None
    memory = state.memory.get(key)
    if memory is not None and memory.open and memory.seen_elsewhere:
        return Change(key, Reason.SEEN_ELSEWHERE)
    change = closing(key, memory, "Unknown", 0, Reason.UNKNOWN_TOO_LONG)
    if change.slot is None:
        return change
    after = replace(change.slot, quiet=True)
    return replace(change, group_key=state.tracked[key], pending=Pending(quiet=True), slot=after)


def closing(key: str, memory: Memory | None, status: SlotStatus, seats: int, reason: Reason) -> Change:
    """The verdict on one slot that is gone."""
    if memory is None or not memory.open:
        return Change(key, Reason.CLOSED_ALREADY)
    after = SlotAfter(open=False, generation=memory.generation)
    return Change(key, reason, slot=after, event=EventDraft("Open", status, seats, memory.generation))


# What the watch knows afterwards ---------------------------------------------------------------------


def _next_state(state: State, seen: Observation, found: Survey, changes: tuple[Change, ...], now: datetime) -> State:
    tracked, pending = dict(state.tracked), dict(state.pending)
    for change in changes:
        pending.pop(change.slot_key, None)
        if change.group_key is None:
            tracked.pop(change.slot_key, None)
            continue
        tracked[change.slot_key] = change.group_key
        if change.pending:
            pending[change.slot_key] = change.pending
    trusted = found.gate.trusted
    counts = (len(seen.found),) if found.gate.accepted else remember(state.counts, len(seen.found))
    return replace(
        state,
        tracked=tracked,
        pending=pending,
        # A look that is not believed leaves the knowledge of the one before as it was.
        look=Look(found.complete, None if found.complete else seen.groups, now) if trusted else state.look,
        counts=counts if found.may_close else state.counts,
        suspicion=found.gate.suspicion,
        **_unreadable_after(state, seen, found, now),
    )


def _unreadable_after(state: State, seen: Observation, found: Survey, now: datetime) -> dict[str, Any]:
    """Records that stay unreadable are believed to hide nothing once what they could hide has closed quietly."""
    if found.may_close:
        return {"nameless": seen.nameless, "nameless_since": None}
    if not seen.complete or found.complete:
        return {}
    since = state.nameless_since or now
    if (now - since).total_seconds() < UNKNOWN_CLOSE_S:
        return {"nameless_since": since}
    return {"nameless": seen.nameless, "nameless_since": None}


def _outcome(found: Survey, changes: tuple[Change, ...]) -> Outcome:
    if not found.complete:
        return Outcome.PARTIAL
    if not found.gate.trusted:
        return Outcome.SUSPECT
    return Outcome.CHANGED if changes else Outcome.UNCHANGED


def _why(seen: Observation, found: Survey) -> str:
    if found.gate.reason:
        return found.gate.reason
    if found.complete:
        return ""
    return "unreadable_records" if seen.complete else "partial_answer"
