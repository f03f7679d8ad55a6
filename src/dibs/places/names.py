"""When two spellings are one name."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

LONGEST = 200
_APOSTROPHES = dict.fromkeys(map(ord, "'`’‘ʼ´′"))
_UNDIVIDED = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


def _is_latin_accent(sign: str) -> bool:
    return "\u0300" <= sign <= "\u036f"


@lru_cache(maxsize=16384)
def key_of(name: str) -> str:
    """Without case, accents, apostrophes and signs: "Torchy's  Tacos" and "torchys tacos" are one."""
    folded = name
    # Twice: taking a sign apart may give capitals, and a capital folded may be taken apart again. Apostrophes go
    # first, or the acute accent would become a space and a mark.
    for _ in range(2):
        folded = unicodedata.normalize("NFKD", folded.translate(_APOSTROPHES)).casefold()
    folded = folded.translate(_UNDIVIDED)
    bare = unicodedata.normalize("NFC", "".join(sign for sign in folded if not _is_latin_accent(sign)))
    words = "".join(sign if _belongs_to_a_word(sign) else " " for sign in bare).split()
    return " ".join(words) or tidy(name).casefold()


def _belongs_to_a_word(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign).startswith("M")


def tidy(name: str) -> str:
    """As it was written, without stray spaces and control signs."""
    printable = "".join(sign if sign.isprintable() else " " for sign in name)
    return " ".join(printable.split())
