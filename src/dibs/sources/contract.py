"""The one small contract that every provider fulfils; tests/conformance runs all of them through it."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from typing import Any, Literal, Protocol

from dibs.sources.http import Request, Response
from dibs.sources.model import Answer, Detail, Failure, Observation, Target, Validators

Ask = Callable[[Request], Awaitable[Response | Failure]]
"""Sends one request inside the provider's pace."""

DetectedBy = Literal["open_sections", "poll"]


class Source(Protocol):
    """One configured provider. It knows the wire format and nothing of events, time or the database."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def detected_by(self) -> DetectedBy: ...

    @property
    def asks(self) -> Mapping[str, str]:
        """What a query has to say, each with an example, in the order in which people write it."""
        ...

    def target(self, query: Mapping[str, Any]) -> Target:
        """The query in its normal form; a wrong one raises `Invalid` and names the field."""
        ...

    async def look(self, ask: Ask, target: Target, validators: Validators) -> Answer | Failure:
        """Fetches what there is now, as raw bodies."""
        ...

    def read(self, answer: Answer, target: Target) -> Observation | Failure:
        """Decodes the bodies; what is no availability at all (HTML, a login page) is a failure."""
        ...

    def subject(self, slot_key: str) -> dict[str, Any]:
        """The provider's own identity of a slot."""
        ...

    def named(self, slot_key: str) -> Detail:
        """What the key alone tells about a slot; a key that cannot be one raises `Invalid`."""
        ...

    def target_date(self, target: Target) -> date | None:
        """The day the target is about, when it has one."""
        ...
