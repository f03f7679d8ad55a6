"""What a source hands over: one look at a target, and why a look failed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

NOTHING: frozenset[str] = frozenset()


class Target(msgspec.Struct, frozen=True):
    """A query in its one normal form, and the bucket it names."""

    bucket_id: str
    query: dict[str, str]


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything about one slot that an event carries; made only for slots that changed."""

    slot_key: str
    group_key: str
    subject: dict[str, Any]
    payload: dict[str, Any]
    starts_at: datetime | None = None
    item_id: int | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at a target.

    `found` maps the key of every open slot to whatever `describe` needs. `shut` are slots the answer
    names as not open; `blurred` are slots whose record could not be read, so nothing is known of them.
    In a partial look (`complete` false) `groups` are those that were looked at in full; None says that
    the answer does not tell.
    """

    found: Mapping[str, Any]
    describe: Callable[[str], Detail]
    complete: bool = True
    groups: frozenset[str] | None = None
    shut: frozenset[str] = NOTHING
    blurred: frozenset[str] = NOTHING
    nameless: int = 0

    @property
    def skipped(self) -> int:
        return len(self.blurred) + self.nameless


class Validators(msgspec.Struct, frozen=True):
    """What makes the next request conditional."""

    etag: str | None = None
    last_modified: str | None = None


UNCONDITIONAL = Validators()


class Fault(StrEnum):
    """Who can mend a failed look: nobody but time (transient), the provider's limits, or a person.

    One that is our own doing (broken off, or an error of ours) says nothing about the provider.
    """

    TRANSIENT = "transient"
    LIMITED = "limited"
    CONFIGURATION = "configuration"
    OURS = "ours"


@dataclass(frozen=True, slots=True)
class Failure:
    """A look that showed nothing. Never an empty observation."""

    fault: Fault
    reason: str
    status: int | None = None
    retry_after_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], compare=False, repr=False)
    body: bytes = field(default=b"", compare=False, repr=False)

    @property
    def releases_claims(self) -> bool:
        """429 and 5xx speak for the whole provider, not for one target."""
        return self.status is not None and (self.status == 429 or self.status >= 500)


class Answer(msgspec.Struct, frozen=True):
    """The raw bodies of one look, before anything is decoded.

    `labels` say what each body is, where there can be several. `whole` is false when a page or a party size
    is missing from them; `trouble` is the failure behind that, if there was one.
    """

    bodies: tuple[bytes, ...]
    source_hash: str
    labels: tuple[str, ...] = ()
    whole: bool = True
    reason: str = ""
    not_modified: bool = False
    validators: Validators = UNCONDITIONAL
    requests: int = 1
    trouble: Failure | None = None
