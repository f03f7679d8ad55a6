"""Claim links: who holds one may claim the offer it names. Signed, so nothing else need be stored."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlencode
from uuid import UUID

LONGEST_TOKEN = 200


def claim_token(key: bytes, offer_id: UUID) -> str:
    return f"{offer_id.hex}.{_signature(key, offer_id)}"


def claimed_offer(key: bytes, token: str) -> UUID | None:
    """The offer a link is for; None when it was not made by us."""
    named, _, signature = token.partition(".")
    if len(token) > LONGEST_TOKEN or len(named) != 32:
        return None
    try:
        offer_id = UUID(hex=named)
    except ValueError:
        return None
    proven = hmac.compare_digest(signature.encode(), _signature(key, offer_id).encode())
    return offer_id if proven else None


def claim_url(public_url: str, key: bytes, offer_id: UUID) -> str:
    return f"{public_url}/claim?{urlencode({'token': claim_token(key, offer_id)})}"


def _signature(key: bytes, offer_id: UUID) -> str:
    return hmac.new(key, b"claim:" + offer_id.bytes, hashlib.sha256).hexdigest()[:40]
