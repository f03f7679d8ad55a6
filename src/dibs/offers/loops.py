"""The loops of the line."""

from __future__ import annotations

from dibs.offers.claim import Claim
from dibs.offers.prune import REST_S, PruneLine
from dibs.offers.usher import Usher
from dibs.work import Loop, Wake


def loops(usher: Usher, claim: Claim, prune: PruneLine, wake: Wake) -> list[Loop]:
    """Offering, lapsing, letting go of those who waited in vain, and forgetting what is long over."""
    return [
        Loop("offers.usher", usher.run_once, wake=wake, channel="dibs_line", idle_s=5.0),
        Loop("offers.lapse", claim.lapse_once, idle_s=1.0),
        Loop("offers.expire", claim.expire_once, idle_s=30.0),
        Loop("offers.prune", prune.run_once, idle_s=REST_S),
    ]
