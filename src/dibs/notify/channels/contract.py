"""What every channel can do."""

from __future__ import annotations

from typing import Protocol

from dibs.notify.model import ChannelName, Message, Outcome


class Channel(Protocol):
    """One way to reach somebody."""

    @property
    def name(self) -> ChannelName:
        """What the API calls it."""
        ...

    @property
    def width(self) -> int:
        """How many sends may run at once."""
        ...

    async def check(self, address: str) -> str:
        """The address in the form that is stored; raises `Invalid` that says what is wrong with it."""
        ...

    def host(self, address: str) -> str:
        """What the address shares its fate with: when one of them is slow, all are. Empty: the whole channel."""
        ...

    async def send(self, message: Message) -> Outcome:
        """Sends once."""
        ...

    async def close(self) -> None:
        """Lets connections and processes go."""
        ...
