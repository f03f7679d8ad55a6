"""Processing: posts and comments become entities and mentions. Doing it again changes nothing.

The source's community is the location key of every restaurant found. The requested term becomes an entity
when somebody really wrote it; other names that look like restaurants become candidates, which people see
only once Places confirmed them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dibs.clock import Clock
from dibs.db import Connection, Database
from dibs.demand import collect_store
from dibs.demand.extract import Extractor, Finding, Vocabulary
from dibs.demand.extract.spelling import needs_its_own_case
from dibs.demand.mentions import Text, as_written, best_candidates, mentions_of, texts_of
from dibs.demand.model import Bias
from dibs.places import enrichment_store, entity_store, mention_store
from dibs.places.geo import Point
from dibs.places.model import Comment, EntityStatus, EntityType, NewEntity, Post
from dibs.places.names import LONGEST


@dataclass(frozen=True, slots=True)
class Wish:
    """What the run is for: the term, its kind, where, and around where its restaurants are looked up."""

    term: str
    entity_type: EntityType
    location_key: str
    bias: Bias | None = None


@dataclass(frozen=True, slots=True)
class Processed:
    """What a batch brought."""

    mentions: int = 0
    new_entities: int = 0


class Processor:
    """Reads one community's texts; the vocabulary is built once and again when it has grown."""

    def __init__(
        self, db: Database, clock: Clock, extractor: Extractor, wish: Wish, *, extractor_name: str, candidates: int
    ) -> None:
        self._db = db
        self._clock = clock
        self._extractor = extractor
        self._wish = wish
        self._extractor_name = extractor_name
        self._candidates_left = candidates
        self._vocabulary: Vocabulary | None = None
        self._rejected: list[str] = []

    async def process(self, posts: Sequence[Post], loaded: Sequence[Comment]) -> Processed:
        """One batch: what was loaded is stored, everything stored about the posts is read."""
        now = self._clock.now()
        async with self._db.transaction() as connection:
            await mention_store.put_comments(connection, comments=loaded)
            stored = await collect_store.list_comments(connection, post_ids=[post.post_id for post in posts])
        texts = texts_of(posts, stored)
        findings = await self._read(texts)
        wanted = self._wanted(texts, findings)
        new = await self._ensure(wanted, now)
        if new:
            self._vocabulary = None
            findings = await self._read(texts)
        return await self._write(posts, texts, findings, new, now)

    async def _read(self, texts: Sequence[Text]) -> list[Finding]:
        if self._vocabulary is None:
            async with self._db.connection() as connection:
                place = self._wish.location_key
                known = await entity_store.list_known_names(connection, location_key=place)
                self._rejected = await collect_store.list_rejected_names(connection, location_key=place)
            self._vocabulary = await asyncio.to_thread(self._extractor.prepare, known)
        bodies = [text.text for text in texts]
        # In a thread: a long batch must not hold up the leases and requests of the whole process.
        return await asyncio.to_thread(self._extractor.extract, bodies, self._vocabulary, self._wish.term)

    def _wanted(self, texts: Sequence[Text], findings: Sequence[Finding]) -> list[NewEntity]:
        wish = self._wish
        place = wish.location_key
        guesses = best_candidates(texts, findings, self._candidates_left, besides=[wish.term, *self._rejected])
        wanted = [
            NewEntity(EntityType.RESTAURANT, name, place, EntityStatus.CANDIDATE)
            for name in guesses
            if len(name) <= LONGEST
        ]
        if any(finding.has_term for finding in findings):
            wanted += self._asked_for(as_written(wish.term, texts))
        return wanted

    def _asked_for(self, name: str) -> list[NewEntity]:
        """The term itself, unless it is an everyday word that nobody wrote as a restaurant's name."""
        if self._wish.entity_type is not EntityType.RESTAURANT:
            return [NewEntity(self._wish.entity_type, self._wish.term)]
        doubtful = needs_its_own_case(name)
        if doubtful and name.islower():
            return []
        status = EntityStatus.CANDIDATE if doubtful else EntityStatus.KNOWN
        return [NewEntity(EntityType.RESTAURANT, name, self._wish.location_key, status)]

    async def _ensure(self, wanted: Sequence[NewEntity], now: datetime) -> list[int]:
        """The ids of those that did not exist."""
        if not wanted:
            return []
        async with self._db.transaction() as connection:
            ensured = await entity_store.ensure_entities(connection, entities=wanted, now=now)
        new = list({one.entity_id: one for one in ensured if one.is_new}.values())
        self._candidates_left -= sum(one.status == EntityStatus.CANDIDATE for one in new)
        return [one.entity_id for one in new]

    async def _write(
        self,
        posts: Sequence[Post],
        texts: Sequence[Text],
        findings: Sequence[Finding],
        new: Sequence[int],
        now: datetime,
    ) -> Processed:
        mentions = mentions_of(texts, findings)
        post_ids = [post.post_id for post in posts]
        async with self._db.transaction() as connection:
            replaced = await mention_store.replace_mentions(connection, post_ids=post_ids, mentions=mentions)
            await self._enrich_soon(connection, {mention.restaurant_id for mention in mentions} | set(new), now)
            await mention_store.mark_posts_processed(
                connection, post_ids=post_ids, extractor=self._extractor_name, now=now
            )
        return Processed(replaced.added, len(new))

    async def _enrich_soon(self, connection: Connection, restaurants: set[int], now: datetime) -> None:
        bias = self._wish.bias
        await enrichment_store.want_enrichment(
            connection,
            entity_ids=sorted(restaurants),
            bias=Point(bias.lat, bias.lng) if bias else None,
            bias_radius_m=bias.radius_m if bias else None,
            now=now,
        )
