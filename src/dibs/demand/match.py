"""Which of the places that were offered is the restaurant that is meant. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dibs.places.names import key_of

ACCEPT = 0.2
CITY = 0.15
REGION = 0.10
NEARNESS = 0.05
NEAR_KM = 10.0
# Being in the right city is worth 0.15: without this, any place there would do for any name.
LEAST_SIMILARITY = 0.1
# A name that was only found by pattern is a restaurant when a place is really called so.
CONFIRMING_SIMILARITY = 0.5

_FOOD = frozenset(
    {
        "restaurant",
        "food",
        "cafe",
        "bar",
        "bakery",
        "meal_takeaway",
        "meal_delivery",
        "coffee_shop",
        "food_court",
        "ice_cream_shop",
        "sandwich_shop",
        "donut_shop",
        "bagel_shop",
        "pub",
        "brewery",
        "deli",
        "diner",
    }
)


class MatchReason(StrEnum):
    """Why a place was taken, or why none was."""

    MATCHED = "matched"
    NOTHING_OFFERED = "nothing_offered"
    NOT_A_RESTAURANT = "not_a_restaurant"
    TOO_FAR = "too_far"
    NAME_DIFFERS = "name_differs"


@dataclass(frozen=True, slots=True)
class Option:
    """A place that was offered: autocomplete and text search both give these."""

    place_id: str
    name: str
    description: str
    types: tuple[str, ...]
    distance_km: float | None


@dataclass(frozen=True, slots=True)
class Meant:
    """The restaurant we look for, and where."""

    name: str
    location_key: str
    within_km: float
    confirming: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The chosen place, or the reason why there is none (that of the option that came furthest)."""

    reason: MatchReason
    option: Option | None = None
    score: float = 0.0


def similarity(one: str, other: str) -> float:
    """How much two names share: their trigrams, 0 to 1."""
    ours, theirs = _trigrams(key_of(one)), _trigrams(key_of(other))
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0.0


def _trigrams(key: str) -> set[str]:
    padded = [f"  {word} " for word in key.split()]
    return {word[at : at + 3] for word in padded for at in range(len(word) - 2)}


def city_and_region(location_key: str, description: str) -> tuple[bool, bool]:
    """Whether the address names the city, and the region, that the community is called after.

    A community's key runs its words together ("austinfood", "portlandme"), so the parts of the address are
    looked for in the key, not the other way round.
    """
    parts = [_letters(part) for part in description.split(",")]
    city = next((part for part in parts if len(part) >= 4 and part in location_key), None)
    rest = location_key.replace(city, "", 1) if city else location_key
    region = any(part != city and (part == rest or (len(part) >= 4 and part in rest)) for part in parts if part)
    return city is not None, region


def _letters(part: str) -> str:
    return "".join(sign for sign in key_of(part) if sign.isalpha()) if part.strip() else ""


def match_score(
    likeness: float, *, city: bool, region: bool, distance_km: float | None, near_km: float = NEAR_KM
) -> float:
    """Name similarity, and a little for the right city, the right region and being near; at most 1."""
    nearness = 0.0 if distance_km is None else max(0.0, 1 - distance_km / near_km)
    return min(1.0, likeness + CITY * city + REGION * region + NEARNESS * nearness)


def serves_food(types: Iterable[str]) -> bool:
    """Whether it is a place to eat; one without types may be."""
    known = list(types)
    return not known or any(one in _FOOD or one.endswith(("_restaurant", "_cafe", "_bar")) for one in known)


def pick(meant: Meant, options: Sequence[Option]) -> Verdict:
    """The best acceptable option; among equals the nearest."""
    judged = [_judge(meant, option) for option in options]
    accepted = [verdict for verdict in judged if verdict.reason is MatchReason.MATCHED]
    if accepted:
        return min(accepted, key=_order)
    reasons = {verdict.reason for verdict in judged}
    for reason in (MatchReason.TOO_FAR, MatchReason.NAME_DIFFERS, MatchReason.NOT_A_RESTAURANT):
        if reason in reasons:
            return Verdict(reason)
    return Verdict(MatchReason.NOTHING_OFFERED)


def _order(verdict: Verdict) -> tuple[float, float, str]:
    option = verdict.option
    distance = option.distance_km if option and option.distance_km is not None else float("inf")
    return -verdict.score, distance, option.place_id if option else ""


def _judge(meant: Meant, option: Option) -> Verdict:
    if not serves_food(option.types):
        return Verdict(MatchReason.NOT_A_RESTAURANT)
    likeness = similarity(meant.name, option.name)
    if likeness < (CONFIRMING_SIMILARITY if meant.confirming else LEAST_SIMILARITY):
        return Verdict(MatchReason.NAME_DIFFERS)
    # A bias is no border: the same name in another city is another restaurant.
    if option.distance_km is not None and option.distance_km > meant.within_km:
        return Verdict(MatchReason.TOO_FAR)
    city, region = city_and_region(meant.location_key, option.description)
    score = match_score(likeness, city=city, region=region, distance_km=option.distance_km)
    if score < ACCEPT:
        return Verdict(MatchReason.NAME_DIFFERS)
    return Verdict(MatchReason.MATCHED, option, score)
