"""The loops of what is wanted."""

from __future__ import annotations

from dibs.wanted.build import Wanted
from dibs.work import Loop, Wake

CHANNEL = "dibs_wanted"


def loops(wanted: Wanted, wake: Wake) -> list[Loop]:
    """The rule, those who asked, and the watches that wanted places need."""
    return [
        Loop("wanted consider", wanted.consider.run_once, idle_s=10.0),
        Loop("wanted tell", wanted.tell.run_once, wake=wake, channel=CHANNEL, idle_s=10.0),
        Loop("wanted keep", wanted.keep.run_once, idle_s=60.0),
    ]
