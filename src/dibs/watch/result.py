"""How a poll ended."""

from typing import Literal

import msgspec

PollOutcome = Literal["unchanged", "changed", "bootstrapped", "partial", "suspect", "failed", "lost"]


class PollResult(msgspec.Struct, frozen=True):
    """How a poll ended. `lost`: the lease was gone, nothing was written."""

    watch_key: str
    snapshot_id: int | None
    outcome: PollOutcome
    opened: int = 0
    closed: int = 0
    open_count: int = 0
    reason: str = ""
