"""What the line needs of the room it gives out. A floor and a pool are the two kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from dibs.db import Connection
from dibs.offers.model import Check, Offer, Waiting
from dibs.offers.rules import Ground

Outcome = Literal["made", "no_room", "not_waiting", "changed"]


@dataclass(frozen=True, slots=True)
class Closed:
    """Nothing will ever be offered in this line again."""

    reason: str


class Room(Protocol):
    """The room of one line, during one look."""

    @property
    def ground(self) -> Ground:
        """What the rules know of it."""
        ...

    async def fitting(self, place: Waiting, starts: Sequence[datetime]) -> Sequence[datetime]:
        """Those of `starts`, in their order, at which there is room now."""
        ...

    async def offer(self, place: Waiting, start: datetime, *, overtakes: bool) -> Outcome:
        """Keeps the room and writes the offer; neither without the other for longer than a hold lives.

        `overtakes`: somebody in front was refused in this look. Then nothing may be given that opened since, which
        could be theirs: `changed`.
        """
        ...


class Keeper(Protocol):
    """What becomes of the room that an offer keeps. Each is safe to repeat."""

    async def open(self, check: Check, line: Sequence[Waiting], now: datetime, /) -> Room | Closed:
        """The room of a line for one look."""
        ...

    async def confirm(self, offer: Offer, /) -> UUID | None:
        """Before an offer is written down as claimed: the booking, where there is one."""
        ...

    async def undo(self, booking_id: UUID | None, /) -> None:
        """The offer ended while its booking was made: the booking goes."""
        ...

    async def still_kept(self, connection: Connection, offer: Offer, /) -> bool:
        """In the transaction that writes an offer down as claimed: whether its room is still there."""
        ...

    async def confirmed(self, offer: Offer, /) -> UUID | None:
        """The booking of an offer that was confirmed and not written down as claimed."""
        ...

    async def give_back(self, connection: Connection, offer: Offer, /) -> None:
        """In the transaction that ends an offer; the next in line is asked."""
        ...

    async def after_end(self, offer: Offer, /) -> None:
        """After that transaction."""
        ...


@dataclass(frozen=True, slots=True)
class Keepers:
    """The keeper of each kind of room."""

    floor: Keeper
    pool: Keeper

    def of_check(self, check: Check) -> Keeper:
        return self.floor if check.product_no is None else self.pool

    def of_offer(self, offer: Offer, /) -> Keeper:
        return self.floor if offer.product_no is None else self.pool
