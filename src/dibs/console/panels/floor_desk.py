"""The desk: find tables for a party or hold the picked ones, then confirm or let go."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from dibs.capacity import Filters, Occasion, confirm_hold, hold_tables, quote, release_hold, validate
from dibs.capacity.model import Candidate
from dibs.console.components import (
    badge_of,
    button,
    card,
    countdown,
    el,
    facts,
    hint,
    notice,
    number_field,
    row,
    switch,
    tell,
    text_field,
)
from dibs.console.page import View
from dibs.console.panels.floor_scene import Scene
from dibs.errors import Invalid


class Desk:
    """What a person at the door does with one party."""

    def __init__(self, view: View, picked: set[str]) -> None:
        self._view = view
        self._picked = picked
        self._scene: Scene | None = None
        with card("Seat a party", note="at the time chosen above"):
            with row():
                self._party = number_field("Guests", 2, min=1, max=100, step=1)
                self._together = switch("Only tables that stand together", False)
            with row():
                button("Find tables", self._quote, sign="search")
                button("Check picked", self._check, look="quiet")
                button("Hold picked", self._hold, look="quiet")
            self._answer = el("div", classes="dibs-stack", aria_live="polite")

    def shown(self, scene: Scene) -> None:
        self._scene = scene

    def _occasion(self) -> tuple[Scene, Occasion]:
        if self._scene is None:
            raise Invalid("The floor is still being read; try again in a moment.")
        try:
            guests = int(float(self._party.value))
        except (TypeError, ValueError):
            raise Invalid("Enter how many guests there are.") from None
        scene = self._scene
        return scene, Occasion(restaurant=scene.floor.slug, party_size=guests, start_at=scene.at)

    async def _quote(self) -> None:
        caller = await self._view.require("staff")
        scene, occasion = self._occasion()
        filters = Filters(require_adjacency=bool(self._together.value))
        quoted = await quote(self._view.parts.capacity, occasion, filters, held_by=str(caller.token_id))
        later = [f"{one.astimezone(scene.zone):%H:%M}" for one in quoted.next_times]
        if quoted.candidate is None or quoted.hold_id is None or quoted.expires_at is None:
            self._answer.clear()
            with self._answer:
                notice("warn", quoted.detail or "Nothing fits.", f"Also possible: {', '.join(later)}" if later else "")
        else:
            others = [_named(one) for one in quoted.alternates]
            self._held(quoted.hold_id, quoted.expires_at, quoted.candidate, others, later)
        self._view.refresh_soon()

    async def _check(self) -> None:
        await self._view.require("staff")
        _, occasion = self._occasion()
        checks = await validate(
            self._view.parts.capacity, occasion, self._tables(), require_adjacency=bool(self._together.value)
        )
        self._answer.clear()
        with self._answer:
            for one in (
                checks.active,
                checks.same_zone,
                checks.movable_for_merge,
                checks.adjacency,
                checks.capacity_enough,
                checks.conflict,
            ):
                badge_of("good" if one.ok else "bad", one.detail)

    async def _hold(self) -> None:
        caller = await self._view.require("staff")
        _, occasion = self._occasion()
        held = await hold_tables(
            self._view.parts.capacity,
            occasion,
            self._tables(),
            held_by=str(caller.token_id),
            require_adjacency=bool(self._together.value),
        )
        self._picked.clear()
        self._held(held.hold_id, held.expires_at, held.candidate, [], [])
        self._view.refresh_soon()

    def _tables(self) -> list[UUID]:
        if not self._picked:
            raise Invalid("Pick tables on the plan first.")
        return [UUID(one) for one in sorted(self._picked)]

    def _held(self, hold_id: UUID, until: datetime, candidate: Candidate, others: list[str], later: list[str]) -> None:
        self._answer.clear()
        with self._answer:
            with row():
                el("strong", f"Held: {_named(candidate)}")
                countdown(until)
            seats = f"{candidate.total_capacity}, {candidate.overage} to spare"
            facts([("Seats", seats), ("Or", "; ".join(others)), ("Also at", ", ".join(later))])
            guest = text_field("Name of the guest", "", maxlength=100)

            async def confirmed() -> None:
                await self._view.require("staff")
                name = str(guest.value).strip()
                await confirm_hold(
                    self._view.parts.capacity,
                    hold_id,
                    guest={"name": name} if name else None,
                    idempotency_key=f"{hold_id}",
                )
                self._done(f"{_named(candidate)} is booked.")

            async def released() -> None:
                await self._view.require("staff")
                await release_hold(self._view.parts.capacity, hold_id)
                self._done(f"{_named(candidate)} is free again.")

            with row():
                button("Confirm", confirmed, sign="check")
                button("Let go", released, look="quiet")

    def _done(self, text: str) -> None:
        self._answer.clear()
        with self._answer:
            hint(text)
        tell(text)
        self._view.refresh_soon()


def _named(candidate: Candidate) -> str:
    return f"{'tables' if candidate.table_count > 1 else 'table'} {' + '.join(candidate.table_numbers)}"
