"""Turns a query into entities we know and terms we do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dibs.db import Connection
from dibs.demand.interpret import is_slip_of, read, spans_of
from dibs.demand.model import Query, Term
from dibs.places import entity_store as store
from dibs.places.entity_store import Named
from dibs.places.model import EntityType
from dibs.places.names import key_of, tidy

MOST_TERMS = 16


@dataclass(frozen=True, slots=True)
class Meaning:
    """Each term with the entities that bear its name; an empty list means nobody knows it."""

    terms: tuple[tuple[Term, tuple[Named, ...]], ...] = ()

    @property
    def known(self) -> list[Named]:
        return list({one.entity_id: one for _, found in self.terms for one in found}.values())

    @property
    def unresolved(self) -> list[Term]:
        return [term for term, found in self.terms if not found]

    def ids(self, *types: EntityType) -> list[int]:
        return [one.entity_id for one in self.known if one.type in types]


async def resolve(connection: Connection, query: Query, location_key: str | None) -> Meaning:
    """Explicit terms win over the text. A restaurant is looked for in the place, and everywhere only without one."""
    if query.terms:
        return await _resolve_terms(connection, query.terms[:MOST_TERMS], location_key)
    named = await store.find_named(connection, keys=spans_of(query.text), location_key=location_key)
    by_key: dict[str, list[Named]] = {}
    for one in named:
        by_key.setdefault(one.key, []).append(one)
    names, unknown = read(query.text, by_key, location_key)
    known = [_as_term(by_key[name]) for name in names]
    slips = [await _slips(connection, term, location_key) for term in unknown]
    return Meaning((*known, *zip(unknown, slips, strict=True)))


async def _resolve_terms(connection: Connection, terms: Sequence[Term], location_key: str | None) -> Meaning:
    keys = [key_of(term.text) for term in terms]
    named = await store.find_named(connection, keys=keys, location_key=location_key)
    meant: list[tuple[Term, tuple[Named, ...]]] = []
    for term, key in zip(terms, keys, strict=True):
        found = _best([one for one in named if one.key == key and one.type == term.entity_type])
        meant.append((term, found or await _slips(connection, term, location_key)))
    return Meaning(tuple(meant))


def _as_term(found: Sequence[Named]) -> tuple[Term, tuple[Named, ...]]:
    """What a name in free text stands for: the kind that is mentioned most under it."""
    kind = max(found, key=lambda one: one.mention_count).type
    best = _best([one for one in found if one.type == kind])
    return Term(best[0].name, EntityType(kind)), best


def _best(found: Sequence[Named]) -> tuple[Named, ...]:
    """One name, one entity; but restaurants of one name in several places, where no place was given."""
    if not found:
        return ()
    if found[0].type != EntityType.RESTAURANT:
        return (found[0],)
    first_of_place = {one.location_key: one for one in reversed(found)}
    return tuple(one for one in found if first_of_place[one.location_key] is one)


async def _slips(connection: Connection, term: Term, location_key: str | None) -> tuple[Named, ...]:
    key = key_of(term.text)
    similar = await store.find_similar(
        connection, key=key, entity_type=str(term.entity_type), location_key=location_key
    )
    return _best([one for one in similar if is_slip_of(key, key_of(one.name))])


async def beginning_with(connection: Connection, terms: Sequence[Term], location_key: str | None) -> list[int]:
    """Restaurants whose names go on where an unknown one ends: shown, but not taken for it."""
    ids: list[int] = []
    for term in terms:
        if term.entity_type == EntityType.RESTAURANT:
            ids += await store.find_beginning(connection, key=key_of(tidy(term.text)), location_key=location_key)
    return ids
