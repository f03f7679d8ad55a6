"""The keys under which an event can exist only once.

The key is the database's last word, not the rule: a window that straddles two buckets is caught by the
memory of the slot's last event (see `detect.recently_notified`).
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1

SOC_BUCKET_S = 180


@dataclass(frozen=True, slots=True)
class KeyParts:
    kind: str
    bucket_id: str
    slot_key: str
    slot_id: str
    status_after: str


def dedupe_key(parts: KeyParts, at: datetime, generation: int, *, taken_at: datetime | None) -> str:
    """The key of an event at `at`.

    `taken_at` is when the slot last had an event of this status: if that lies in the same bucket, its
    key is taken, and this generation's number tells the two apart.
    """
    taken = taken_at is not None and _bucket(parts.kind, taken_at) == _bucket(parts.kind, at)
    suffix = f"|{generation}" if taken else ""
    if parts.kind == "soc":
        text = f"{parts.slot_key}|{parts.status_after}|{_bucket('soc', at)}{suffix}"
        # The document names SHA-1: a fingerprint, not a safeguard.
        return sha1(text.encode(), usedforsecurity=False).hexdigest()
    status = "" if parts.status_after == "Open" else f"|{parts.status_after}"
    return f"{parts.bucket_id}|{parts.slot_id}|{_bucket(parts.kind, at)}{status}{suffix}"


def _bucket(kind: str, at: datetime) -> str:
    if kind == "soc":
        return str(int(at.timestamp()) // SOC_BUCKET_S)
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")
