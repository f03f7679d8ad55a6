"""How many notices a person should get, from what a provider showed: written from the documents, in plain Python.

It knows nothing of tables, queues or the product's code, so that the two can disagree.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rules:
    """The policy of a watch, as the documents state it."""

    misses: int
    dedupe_s: float
    close_clears: bool
    group_from_zero: bool = False


@dataclass
class Slot:
    group: str
    open: bool = False
    misses: int = 0
    announced_at: float | None = None
    closed_since: bool = False
    """Whether it was seen closed after its last opening was announced."""
    # What the person knows: "Open" from the moment a notice is on its way, until a close is announced.
    known: bool = False
    waiting: bool = False


@dataclass
class Person:
    """Somebody who subscribed to everything that a watch sees."""

    rules: Rules
    remembers: bool = True
    """The control switches it off: then the last known status does not matter."""
    slots: dict[str, Slot] = field(default_factory=dict[str, Slot])
    told: list[str] = field(default_factory=list[str])
    openings: int = 0

    def looked(self, at: float, groups: dict[str, str], shown: AbstractSet[str]) -> None:
        """The provider answered: `groups` are all slots, `shown` those that it shows."""
        had = {slot.group for slot in self.slots.values() if slot.open}
        for key in sorted(groups):
            slot = self.slots.setdefault(key, Slot(groups[key]))
            if key in shown:
                self._shown(slot, at, had)
            elif slot.open:
                self._missed(slot)

    def _shown(self, slot: Slot, at: float, had: set[str]) -> None:
        slot.misses = 0
        if slot.open:
            return
        slot.open = True
        if self._recently(slot, at) or (self.rules.group_from_zero and slot.group in had):
            return
        self.openings += 1
        slot.announced_at, slot.closed_since = at, False
        if self.remembers and slot.known:
            return
        slot.known = slot.waiting = True

    def _recently(self, slot: Slot, at: float) -> bool:
        if slot.announced_at is None or (self.rules.close_clears and slot.closed_since):
            return False
        return at - slot.announced_at <= self.rules.dedupe_s

    def _missed(self, slot: Slot) -> None:
        slot.misses += 1
        if slot.misses >= self.rules.misses:
            slot.open, slot.misses, slot.closed_since, slot.known = False, 0, True, False

    def refreshed(self, groups: dict[str, str], shown: AbstractSet[str]) -> None:
        """A baseline: what is shown is taken over, and nothing is announced, closes neither."""
        for key, group in groups.items():
            slot = self.slots.setdefault(key, Slot(group))
            slot.closed_since = slot.closed_since or (slot.open and key not in shown)
            slot.open, slot.misses = key in shown, 0

    def delivered(self) -> None:
        """What waits is sent if it can still be had, and is never sent otherwise."""
        for key, slot in self.slots.items():
            if slot.waiting:
                slot.waiting = False
                slot.known = slot.known and slot.open
                if slot.open:
                    self.told.append(key)
