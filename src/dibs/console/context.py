"""What the pages of this process work with; one console per process, as the toolkit has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dibs.parts import Parts

_mounted: list[Parts] = []


def set_parts(parts: Parts) -> None:
    _mounted[:] = [parts]


def parts() -> Parts:
    return _mounted[0]
