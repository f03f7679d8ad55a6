"""One action: what people look for is watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dibs.clock import Clock
from dibs.db import Database
from dibs.demand.model import CollectionRequest
from dibs.demand.requests import Requests
from dibs.errors import Conflict, Invalid, NotFound
from dibs.places.model import EntityType
from dibs.telemetry import emit, metrics_wanted
from dibs.telemetry import events_wanted as events
from dibs.wanted import ask_store, store
from dibs.wanted.catalogue import Catalogue
from dibs.wanted.keep import Keep
from dibs.wanted.model import Choice, Group, Reason, Settings, Verdict, WantedPlace, WatchedBy
from dibs.wanted.rules import chosen

REFUSALS: dict[Reason, tuple[type[Conflict], str]] = {
    Reason.AMBIGUOUS: (Conflict, "ambiguous"),
    Reason.ELSEWHERE: (Conflict, "elsewhere"),
    Reason.UNKNOWN: (Conflict, "unknown_place"),
}
ASK_CHANNEL = b"SELECT pg_notify('dibs_wanted', '')"


@dataclass(frozen=True, slots=True)
class Watched:
    """What became of the request; `created` for whoever made the link."""

    place: WantedPlace
    created: bool

    @property
    def sentence(self) -> str:
        """For a person to read."""
        place = self.place
        if place.status != "watched":
            return f"“{place.term}” is not watched."
        again = "" if self.created else " already"
        people = "nobody asked yet" if not place.askers else f"{place.askers} asked to be told"
        return f"“{place.term}” is watched{again}: {place.where} ({people})."


def check_place(request: CollectionRequest) -> None:
    """Only a place can be watched."""
    if request.entity_type != EntityType.RESTAURANT:
        kind = request.entity_type.replace("_", " ")
        raise Invalid(
            f"“{request.term}” is a {kind}, and only a restaurant can be watched; "
            "search for one that has it, and watch that.",
            code="not_a_place",
        )


class WatchDemand:
    """Links requests to places, once each."""

    def __init__(
        self, database: Database, clock: Clock, requests: Requests, catalogue: Catalogue, keep: Keep, settings: Settings
    ) -> None:
        self._database = database
        self._clock = clock
        self._requests = requests
        self._catalogue = catalogue
        self._keep = keep
        self._settings = settings

    async def watch(self, request_id: int, choice: Choice | None = None) -> Watched:
        """A person wants it watched. Pressed again, or by two at once: the same answer."""
        request = await self._requests.get(request_id)
        check_place(request)
        known = await self.find(request_id)
        if known and known.status == "watched":
            return _already(known, choice)
        groups = await self._catalogue.groups()
        verdict = await self._verdict(request, groups, choice)
        metrics_wanted.VERDICTS.labels(verdict.reason).inc()
        if verdict.group is None:
            await self._note(request_id, verdict)
            raise _refusal(request, verdict)
        return await self.take(request, verdict.group, by="person", choice=choice)

    async def _verdict(self, request: CollectionRequest, groups: list[Group], choice: Choice | None) -> Verdict:
        if choice is None:
            return await self._catalogue.find(request, groups)
        group = chosen(choice, groups)
        if group is None:
            raise Invalid(
                f"{choice.provider} was not seen to have a place {choice.group_key}; take one of the candidates.",
                field="group_key",
            )
        return Verdict(Reason.MATCHED, group, (group.candidate,))

    async def take(
        self, request: CollectionRequest, group: Group, *, by: WatchedBy, choice: Choice | None = None
    ) -> Watched:
        """Sees to it that something looks, and links. Whoever comes second gets the answer of the first."""
        made = await self._keep.ensure(group)
        created = await self._link(request.request_id, group, by)
        if created:
            emit(
                events.WATCHED,
                request_id=request.request_id,
                term=request.term,
                topic=group.topic,
                by=by,
                watches_made=len(made),
            )
            metrics_wanted.WATCHED.labels(by).inc()
        place = await self.get(request.request_id)
        return Watched(place, True) if created else _already(place, choice)

    async def _link(self, request_id: int, group: Group, by: WatchedBy) -> bool:
        now = self._clock.now()
        async with self._database.transaction() as connection:
            linked = await store.link_wanted(
                connection, request_id=request_id, place=group.candidate, watched_by=by, now=now
            )
            if linked and await ask_store.wake_asks(connection, request_id=request_id, now=now):
                await connection.execute(ASK_CHANNEL)
        return linked

    async def _note(self, request_id: int, verdict: Verdict) -> None:
        async with self._database.transaction() as connection:
            await store.put_verdict(
                connection, request_id=request_id, verdict=verdict.reason, candidates=verdict.candidates
            )

    async def stop(self, request_id: int) -> WantedPlace:
        """Those who asked are no longer told, and wait again; the rule leaves it alone from now on."""
        now = self._clock.now()
        async with self._database.transaction() as connection:
            stopped = await store.stop_wanted(connection, request_id=request_id, now=now)
            if stopped and await ask_store.wake_asks(connection, request_id=request_id, now=now):
                await connection.execute(ASK_CHANNEL)
        place = await self.get(request_id)
        if stopped:
            emit(events.STOPPED, request_id=request_id, topic=place.topic)
        elif place.status != "stopped":
            raise Conflict(f"“{place.term}” is not watched.", code="not_watched")
        return place

    async def find(self, request_id: int) -> WantedPlace | None:
        return (await self.of([request_id])).get(request_id)

    async def of(self, request_ids: Sequence[int]) -> dict[int, WantedPlace]:
        """Those of these requests that somebody wanted watched."""
        found = await self._list(limit=len(request_ids), request_ids=request_ids)
        return {one.request_id: one for one in found}

    async def get(self, request_id: int) -> WantedPlace:
        found = await self.find(request_id)
        if found is None:
            raise NotFound(f"Nobody wanted request {request_id} watched yet.")
        return found

    async def list(self, *, limit: int, status: str | None = None, before: int | None = None) -> list[WantedPlace]:
        """The newest requests first."""
        return await self._list(limit=limit, status=status, before=before)

    async def _list(
        self,
        *,
        limit: int,
        request_ids: Sequence[int] | None = None,
        status: str | None = None,
        before: int | None = None,
    ) -> list[WantedPlace]:
        async with self._database.connection() as connection:
            return await store.list_wanted(
                connection,
                today=self._clock.now().date(),
                window_days=self._settings.window_days,
                limit=limit,
                request_ids=request_ids,
                status=status,
                before=before,
            )


def _already(known: WantedPlace, choice: Choice | None) -> Watched:
    is_another = choice is not None and choice != Choice(known.provider or "", known.group_key or "")
    if is_another and known.status == "watched":
        raise Conflict(
            f"“{known.term}” is watched already, as {known.where}; stop that first.",
            code="already_watched",
        )
    return Watched(known, False)


def _refusal(request: CollectionRequest, verdict: Verdict) -> Conflict:
    names = ", ".join(f"{one.name} ({one.provider} {one.group_key})" for one in verdict.candidates)
    sentences = {
        Reason.AMBIGUOUS: f"“{request.term}” may be one of several places: {names}. "
        "Say which with provider and group_key.",
        Reason.ELSEWHERE: f"“{request.term}” is known only far from where it was looked for: {names}. "
        "If it is the one all the same, name it with provider and group_key.",
        Reason.UNKNOWN: f"No provider was seen to have “{request.term}”; watch a provider that has it, "
        "and try again when it was polled.",
    }
    candidates = [
        {"provider": one.provider, "group_key": one.group_key, "name": one.name, "topic": one.topic}
        for one in verdict.candidates
    ]
    kind, code = REFUSALS[verdict.reason]
    return kind(sentences[verdict.reason], code=code, candidates=candidates)
