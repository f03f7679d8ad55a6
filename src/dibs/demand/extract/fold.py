"""Folding: what makes two spellings of a name the same.

Letters become lower case without accents, apostrophes vanish, every other sign becomes one space. One
sign, one space: "Uchi, Ko" folds to "uchi  ko", so that a name with a single space in it never matches
across a comma or a full stop, and no pass is needed to collapse spaces.
"""

import codecs
import re
import unicodedata
from functools import lru_cache

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
# The separator of texts is no letter, yet survives: it marks where one text ends.
SEPARATOR = "\x1e"
_TABLE = bytes(
    ord(chr(code).lower()) if chr(code).lower() in _LETTERS or chr(code) == SEPARATOR else 32 for code in range(256)
)
_APOSTROPHES = b"'`"
_FOREIGN = re.compile("[^\x00-\x7f]+")
_SIGN = re.compile(rf"[^\w{SEPARATOR}]|_")
# Letters that Unicode does not take apart.
_ALONE = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
    | dict.fromkeys("’‘ʼ´′", "'")
)


@lru_cache(maxsize=4096)
def _plain_run(run: str) -> str:
    """A run of signs beyond ASCII without accents and typography; letters of other scripts stay."""
    marks_apart = unicodedata.normalize("NFKD", run.lower().translate(_ALONE))
    return "".join(
        sign if sign.isalnum() or sign == "'" else "" if unicodedata.combining(sign) else " " for sign in marks_apart
    )


def _encode_run(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    run = _plain_run(error.object[error.start : error.end])
    if not run.isascii():
        raise error
    return run, error.end


codecs.register_error("dibs.plain", _encode_run)


def fold(text: str) -> str:
    try:
        # The encoder copies plain stretches as they are and asks only about the signs it cannot write.
        return text.encode("ascii", "dibs.plain").translate(_TABLE, _APOSTROPHES).decode("ascii")
    except UnicodeEncodeError:
        return _fold_other_scripts(text)


def _fold_other_scripts(text: str) -> str:
    plain = _FOREIGN.sub(lambda run: _plain_run(run.group()), text)
    return _SIGN.sub(" ", plain.lower().replace("'", "").replace("`", ""))


def collapse(text: str) -> str:
    """The folded text with single spaces: the key under which two spellings are one name."""
    return " ".join(fold(text).split())
