"""An independent reading of the rules: what one watch should announce, look by look.

Written from docs and numbers, slot by slot and without any of the product's code, so that the two can disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Rules:
    rule: str = "each"
    misses: int = 1
    dedupe_s: float = 180.0
    close_clears: bool = False
    drop_ratio: float = 0.10
    min_drop: int = 25
    samples: int = 3
    confirm_s: float = 300.0


@dataclass
class Slot:
    group: str
    open: bool = False
    misses: int = 0
    lost_sight_at: float | None = None
    quietly_gone: bool = False
    announced_at: float | None = None
    gone_at: float | None = None


@dataclass
class Doubt:
    since: float
    samples: int
    count: int


@dataclass
class Oracle:
    rules: Rules
    slots: dict[str, Slot] = field(default_factory=dict[str, Slot])
    started: bool = False
    good_counts: list[int] = field(default_factory=list[int])
    grouped: bool = False
    doubt: Doubt | None = None
    last_full: bool = True
    last_groups: set[str] = field(default_factory=set[str])
    events: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def look(
        self,
        at: float,
        shown: dict[str, str],
        *,
        full: bool = True,
        groups: set[str] | None = None,
        said_shut: set[str] | None = None,
    ) -> None:
        """One answer that was understood: `shown` maps every open slot to its group."""
        shut = said_shut or set()
        if not self.started:
            self.started = True
            for key, group in shown.items():
                self.slots[key] = Slot(group, open=True)
            if full:
                self.good_counts = [len(shown)]
            self._remember(full, groups)
            return
        accepted = False
        believed = True
        if full:
            believed, accepted = self._believe(at, shown, shut)
        had_something = {slot.group for slot in self.slots.values() if slot.open and not self._seen_empty(slot)}
        self._appear(at, shown, had_something)
        if full and believed:
            self._disappear(at, shown, shut, sure=accepted)
            self.good_counts = [len(shown)] if accepted else [*self.good_counts, len(shown)][-16:]
        if not full:
            self._lose_sight(at, shown)
        if believed:
            self._remember(full, groups)

    def _seen_empty(self, slot: Slot) -> bool:
        """A partial look showed its whole group, and it was not there."""
        return slot.lost_sight_at is not None and (self.last_full or slot.group in self.last_groups)

    def _remember(self, full: bool, groups: set[str] | None) -> None:
        self.last_full = full
        self.last_groups = set() if groups is None else groups

    def _believe(self, at: float, shown: dict[str, str], shut: set[str]) -> tuple[bool, bool]:
        expected = sum(slot.open for slot in self.slots.values())
        if self.good_counts:
            ordered = sorted(self.good_counts)
            expected = max(self.good_counts[-1], ordered[(len(ordered) - 1) // 2])
        if expected == 0:
            return True, False
        empty = not shown and not shut
        tracked = {key for key, slot in self.slots.items() if slot.open or slot.quietly_gone}
        missing = [key for key in tracked if key not in shown and key not in shut]
        fresh = [key for key in missing if self.slots[key].misses == 0 and not self.slots[key].quietly_gone]
        enter = max(self.rules.drop_ratio * expected, self.rules.min_drop)
        leave = max(self.rules.drop_ratio / 2 * expected, self.rules.min_drop)
        if self.doubt is None:
            if empty or len(fresh) >= enter:
                self.doubt = Doubt(at, 1, len(shown))
                return False, False
            return True, False
        if not empty and len(missing) < leave:
            self.doubt = None
            return True, False
        if abs(len(shown) - self.doubt.count) >= leave:
            self.doubt = Doubt(at, 1, len(shown))
            return False, False
        self.doubt.samples += 1
        if self.doubt.samples >= self.rules.samples and at - self.doubt.since >= self.rules.confirm_s:
            self.doubt = None
            return True, True
        return False, False

    def _appear(self, at: float, shown: dict[str, str], had_something: set[str]) -> None:
        for key, group in shown.items():
            slot = self.slots.setdefault(key, Slot(group))
            if slot.open:
                slot.misses, slot.lost_sight_at = 0, None
                continue
            was_quiet = slot.quietly_gone
            slot.open, slot.misses, slot.lost_sight_at, slot.quietly_gone = True, 0, None, False
            if was_quiet or self._told_recently(slot, at):
                continue
            if self.rules.rule == "group_from_zero" and group in had_something:
                continue
            # Nobody could have seen it before; in a flat list it is news all the same.
            by_group = self.rules.rule == "group_from_zero" or self.grouped
            if by_group and not self.last_full and group not in self.last_groups:
                continue
            slot.announced_at = at
            self.events.append((key, "Open"))

    def _told_recently(self, slot: Slot, at: float) -> bool:
        if slot.announced_at is None or self.rules.dedupe_s <= 0:
            return False
        if self.rules.close_clears and slot.gone_at is not None and slot.gone_at >= slot.announced_at:
            return False
        return at - slot.announced_at <= self.rules.dedupe_s

    def _disappear(self, at: float, shown: dict[str, str], shut: set[str], *, sure: bool) -> None:
        for key, slot in self.slots.items():
            if key in shown:
                continue
            if slot.quietly_gone:
                slot.quietly_gone, slot.gone_at = False, at
            elif slot.open:
                slot.misses += 1
                slot.lost_sight_at = None
                if sure or key in shut or slot.misses >= self.rules.misses:
                    slot.open, slot.misses, slot.gone_at = False, 0, at
                    self.events.append((key, "Closed"))

    def _lose_sight(self, at: float, shown: dict[str, str]) -> None:
        for key, slot in self.slots.items():
            if key in shown or not slot.open:
                continue
            if slot.lost_sight_at is None:
                slot.lost_sight_at = at
            elif at - slot.lost_sight_at >= 600:
                slot.open, slot.quietly_gone, slot.lost_sight_at, slot.misses = False, True, None, 0
                slot.gone_at = at
                self.events.append((key, "Unknown"))
