"""What a caller did wrong, or lost: one typed error per kind, answered as RFC 9457 problem+json.

Expected outcomes are values, not errors. An error carries a `code` a program can act on and a `detail` that
tells a person what to do next.
"""

from __future__ import annotations

from typing import Any, ClassVar


class DibsError(Exception):
    """Something the caller can understand and act on."""

    status: ClassVar[int] = 500
    title: ClassVar[str] = "Something went wrong"
    default_code: ClassVar[str] = "error"

    def __init__(self, detail: str, *, code: str | None = None, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or self.default_code
        self.extra = extra


class Invalid(DibsError):
    """The request cannot be understood or makes no sense."""

    status = 422
    title = "The request is not valid"
    default_code = "invalid_request"


class Unauthorized(DibsError):
    """No token, or a bad one."""

    status = 401
    title = "A valid token is needed"
    default_code = "unauthorized"


class Forbidden(DibsError):
    """The token's scope is too small."""

    status = 403
    title = "The token's scope is too small"
    default_code = "forbidden"


class NotFound(DibsError):
    """There is no such thing."""

    status = 404
    title = "Not found"
    default_code = "not_found"


class Conflict(DibsError):
    """Somebody else was first, or the state does not allow it."""

    status = 409
    title = "It conflicts with the current state"
    default_code = "conflict"


class Gone(DibsError):
    """It was there and is over."""

    status = 410
    title = "It is gone"
    default_code = "gone"


class TooLarge(DibsError):
    """The body is larger than we read."""

    status = 413
    title = "The request is too large"
    default_code = "too_large"


class TooMany(DibsError):
    """A limit was reached."""

    status = 429
    title = "Too many requests"
    default_code = "too_many"


class Unavailable(DibsError):
    """Something we need is not there now."""

    status = 503
    title = "Not available now"
    default_code = "unavailable"


class CannotStart(DibsError):
    """The program cannot start as it is configured; the sentence says what to change."""

    status = 503
    title = "dibs cannot start"
    default_code = "cannot_start"
