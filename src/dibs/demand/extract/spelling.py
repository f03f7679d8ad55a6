"""The spellings under which people write one name, folded."""

from dibs.demand.extract.fold import fold
from dibs.demand.extract.words import COMMON_WORDS

_LONG_ENOUGH_FOR_A_PLURAL = 4


def needs_its_own_case(name: str) -> bool:
    """A name that is also an everyday word, or very short, counts only as it is written."""
    folded = fold(name).strip()
    return len(folded) <= 3 or folded in COMMON_WORDS


def _signs(name: str) -> set[str]:
    """One name with its signs kept, dropped, or written as words."""
    folded = fold(name).strip()
    collapsed = " ".join(folded.split())
    spelled = " ".join(fold(name.replace("&", " and ").replace("+", " and ")).split())
    joined = " ".join(fold(name.replace("-", "")).split())
    found = {folded, collapsed, spelled, joined, collapsed.replace(" and ", "   ")}
    return found | {one.removeprefix("the ") for one in found if one.count(" ") >= 2}


def _endings(spelling: str, *, food: bool) -> set[str]:
    """Possessive (its apostrophe is gone) and plural; for foods also the singular of a plural."""
    found = {spelling}
    if len(spelling) < _LONG_ENOUGH_FOR_A_PLURAL or not spelling[-1].isalpha():
        return found
    if not spelling.endswith("s"):
        found.add(spelling + "s")
    if food and spelling.endswith("y"):
        found.add(spelling[:-1] + "ies")
    if food and spelling.endswith("s") and not spelling.endswith("ss") and len(spelling) > 4:
        found.add(spelling[:-1])
    return found


def spellings(name: str, *, food: bool = False) -> set[str]:
    """Every folded form of the name; empty for a name without two letters or digits."""
    if len(fold(name).replace(" ", "")) < 2:
        return set()
    return {form for signs in _signs(name) for form in _endings(signs, food=food)}
