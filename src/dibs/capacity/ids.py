"""Ids of tables and zones: random, but in the order in which they were first written down.

The last tie of the selector goes to the smallest id, so the tables a restaurant lists first are given first.
"""

from __future__ import annotations

from datetime import datetime
from secrets import randbits
from uuid import UUID


def ordered_id(now: datetime, sequence: int) -> UUID:
    """Version 7: milliseconds, then the place in the document, then chance."""
    milliseconds = int(now.timestamp() * 1000) & (1 << 48) - 1
    return UUID(int=milliseconds << 80 | 0x7 << 76 | (sequence & 0xFFF) << 64 | 0b10 << 62 | randbits(62))
