"""What was looked at, and what came out."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

State = Literal["ok", "note", "problem"]


class Finding(Struct, frozen=True):
    """One thing that was looked at; `todo` says what a person should do, if anything."""

    subject: str
    state: State
    detail: str
    todo: str = ""
