"""One measured number beside its floor, and whether it is good enough."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """`at_least` and `at_most` bound the ratio of value to floor; without a floor, the value itself.

    Neither: the number is only reported.
    """

    name: str
    value: float
    unit: str
    floor: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Value over floor."""
        return self.value / self.floor if self.floor else None

    @property
    def passed(self) -> bool | None:
        """None: nothing was asked of it."""
        if self.at_least is None and self.at_most is None:
            return None
        judged = self.value if self.floor is None else self.ratio
        if judged is None:
            return False
        high_enough = self.at_least is None or judged >= self.at_least
        return high_enough and (self.at_most is None or judged <= self.at_most)

    @property
    def target(self) -> str:
        """What was asked, as people write it."""
        unit = f" {self.unit}" if self.floor is None else " ×"
        asked = [
            f"{sign} {bound:g}{unit}"
            for sign, bound in (("≥", self.at_least), ("≤", self.at_most))
            if bound is not None
        ]
        return ", ".join(asked)

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "floor": self.floor,
            "ratio": self.ratio,
            "target": self.target,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "passed": self.passed,
            "note": self.note,
        }
