"""Demand that becomes a watch: a place people keep looking for is watched, and those who asked are told.

**Authority.** `wanted` says what became of a request: one row per collection request that somebody wanted watched.
`wanted_ask` holds the people who asked, and where each of them belongs. Whether they are told is the subscription's
own business (`notify`); whether anything looks at the provider is the watch's (`watch`).

    wanted:  open ──a person, or the rule: matched──▶ watched ──by hand──▶ stopped ──a person──▶ watched
               └─ verdict: ambiguous | elsewhere | unknown | not_watchable; the rule looks again later

    ask:     waiting ──watched──▶ subscribed ──stopped──▶ waiting      (withdrawn: from everywhere, the end)

**Match** (`rules`). The names of the request (its term, and the restaurant it stands for) against the places that
providers were seen to have and own products. One that bears the name, or the name but for a slip, is the one; several,
or names that are only alike, are for a person to choose from. A provider with an area knows nothing outside of it.

**Watched** means that openings of the place reach the topic `group:…`. Something must look at the provider for that:
watches that exist do; else `cover` makes them for the days to come, keeps doing so while the place is wanted, and
removes its own when their day has passed. Own inventory needs none.

**The rule** (`consider`). A restaurant that was looked for `occurrences` times within `window_days`, and matches one
place, is watched by itself. It never takes up what a person stopped.

**One link.** The row decides: `link_wanted` writes only where it is not watched yet, so of any number of people and
rules at once one makes the link, and the others get its answer. Watches are one per query.

**Those who asked** (`tell`). Each ask is compared with where it belongs and brought there: subscribed, moved, or let
go. Watching, stopping and withdrawing only mark asks as due, in their own transaction, under the lock of the row that
asking takes too; so nobody is missed. The topic is written before the subscription is made: after a crash it is found
by the ask's own token, never somebody else's subscription.
"""

from dibs.wanted.ask import Ask, Asked, AskWish
from dibs.wanted.build import Wanted, build_wanted
from dibs.wanted.model import AskView, Candidate, Choice, Settings, WantedPlace
from dibs.wanted.watch import WatchDemand, Watched

__all__ = [
    "Ask",
    "AskView",
    "AskWish",
    "Asked",
    "Candidate",
    "Choice",
    "Settings",
    "Wanted",
    "WantedPlace",
    "WatchDemand",
    "Watched",
    "build_wanted",
]
