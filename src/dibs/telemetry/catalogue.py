"""How an event gets its name: declared once, with a sentence for the documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Event:
    """A name of the catalogue."""

    name: str
    meaning: str
    level: Level = "info"


CATALOGUE: dict[str, Event] = {}


def event(name: str, meaning: str, *, level: Level = "info") -> Event:
    """Declares an event; a name can be declared once."""
    if name in CATALOGUE:
        raise ValueError(f"the event {name} is declared twice")
    CATALOGUE[name] = declared = Event(name, meaning, level)
    return declared
