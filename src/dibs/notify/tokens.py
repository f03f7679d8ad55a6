"""Tokens of a subscription.

The manage token is random, shown once and stored only as a hash. Links in notices cannot carry it, because
nobody knows it any more; they carry a signature made with that stored hash as the key. So a link works for one
subscription and one purpose, needs nothing else stored, and is void once the manage token changes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from secrets import token_bytes, token_urlsafe
from typing import Literal

Purpose = Literal["unsubscribe", "verify"]
LINK = re.compile(r"(?P<id>[1-9]\d{0,17})\.(?P<signature>[0-9a-f]{40})")
LONGEST_TOKEN = 512


def new_manage_token() -> str:
    """A new secret for the owner of a subscription."""
    return f"mng_{token_urlsafe(32)}"


def new_webhook_secret() -> str:
    """A new signing secret, in the form that the Standard Webhooks libraries take."""
    return "whsec_" + base64.b64encode(token_bytes(32)).decode()


def hash_token(token: str) -> bytes:
    """What is stored of a manage token; it is long and random, so a plain hash cannot be guessed back."""
    return hashlib.sha256(token.encode()).digest()


def link_token(subscription_id: int, manage_token_hash: bytes, purpose: Purpose) -> str:
    """The token of a link in a notice."""
    return f"{subscription_id}.{_signature(subscription_id, manage_token_hash, purpose)}"


def linked_subscription(token: str) -> int | None:
    """Which subscription a link speaks of; nothing is proven yet."""
    match = LINK.fullmatch(token)
    return int(match["id"]) if match else None


def proves(token: str, subscription_id: int, manage_token_hash: bytes, purpose: Purpose) -> bool:
    """Whether the link was made by us for this subscription and purpose."""
    return hmac.compare_digest(token, link_token(subscription_id, manage_token_hash, purpose))


def owns(token: str, manage_token_hash: bytes) -> bool:
    """Whether this is the subscription's manage token."""
    return len(token) <= LONGEST_TOKEN and hmac.compare_digest(hash_token(token), manage_token_hash)


def _signature(subscription_id: int, key: bytes, purpose: Purpose) -> str:
    return hmac.digest(key, f"{purpose}:{subscription_id}".encode(), "sha256").hex()[:40]
