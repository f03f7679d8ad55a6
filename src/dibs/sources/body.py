"""What all bodies have in common: their fingerprint, and how to tell a page for people from data."""

import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeVar

import msgspec

from dibs.sources.http import Response
from dibs.sources.model import Answer, Failure, Fault

LONGEST_KEY = 500
"""Longer names are a mistake of the provider; an index could not hold them."""
PAGES_FOR_PEOPLE = ("text/html", "application/xhtml+xml")


LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
Document = TypeVar("Document")


def decoded(decode: Callable[[bytes], Document], body: bytes) -> Document:
    """The document; text that is no Unicode is mended, because one odd name must not hide all the others.

    Raises `msgspec.DecodeError` for whatever is no document at all.
    """
    try:
        return decode(body)
    except msgspec.ValidationError:
        raise
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        mended = LONE_SURROGATE.sub(rb"\\ufffd", body.decode(errors="replace").encode())
        if mended == body:
            raise msgspec.DecodeError(str(error)) from None
        return decoded(decode, mended)


def source_hash(bodies: Iterable[bytes]) -> str:
    """The fingerprint of a look."""
    return hash_of(digest(body) for body in bodies)


def digest(body: bytes) -> bytes:
    return sha256(body).digest()


def hash_of(digests: Iterable[bytes]) -> str:
    """The fingerprint of a look whose bodies have these digests; all are of one length, so that splits tell."""
    return sha256(b"".join(digests)).hexdigest()


def refuse_page(response: Response) -> Failure | None:
    """A login page or a captcha comes with status 200 and is no answer."""
    start = response.body[:64].lstrip()
    if response.content_type in PAGES_FOR_PEOPLE or start[:1] == b"<":
        return Failure(Fault.TRANSIENT, "html_instead_of_json", response.status)
    return None


def single(response: Response | Failure) -> Answer | Failure:
    """The look of a provider that answers in one body."""
    if isinstance(response, Failure):
        return response
    if response.not_modified:
        return Answer((), "", not_modified=True, validators=response.validators)
    page = refuse_page(response)
    if page is not None:
        return page
    bodies = (response.body,)
    return Answer(bodies, source_hash(bodies), validators=response.validators)
