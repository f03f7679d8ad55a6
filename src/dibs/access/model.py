"""The nouns of access."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Scope = Literal["read", "staff", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "staff", "admin")


@dataclass(frozen=True, slots=True)
class Caller:
    """Whom a token belongs to."""

    token_id: int
    name: str
    scope: Scope

    def may(self, scope: Scope) -> bool:
        """Whether this caller's scope contains `scope`."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


@dataclass(frozen=True, slots=True)
class Token:
    """A stored token, without its secret."""

    token_id: int
    name: str
    scope: Scope
    created_at: datetime
    revoked_at: datetime | None


def token_hash(token: str) -> bytes:
    """What is stored of a token; it is long and random, so a plain hash cannot be guessed back."""
    return hashlib.sha256(token.encode()).digest()
