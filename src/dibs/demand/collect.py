"""Collecting: a request is claimed, its posts are found, read and processed, and it is settled.

    claim ─▶ find posts (searches only) ─▶ per batch: load comments ─▶ process ─▶ settle

Every page and every batch reports progress, which also renews the lease; a run that lost its lease stops at
once and writes nothing more. A failure anywhere is an error with a short backoff, and what was found until
then is kept: posts that were not read are read by the next run of the community.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import psycopg

from dibs.clock import Clock
from dibs.config.sections import Collect
from dibs.db import Database
from dibs.demand import collect_store
from dibs.demand.extract import load_extractor
from dibs.demand.find_posts import FoundPosts, find_posts
from dibs.demand.load_comments import CommentLimits, load_comments
from dibs.demand.model import Outcome, Progress, Run, RunResult, Stage
from dibs.demand.process import Processed, Processor, Wish
from dibs.demand.queue import CollectionQueue
from dibs.places import mention_store
from dibs.places.model import Comment, Post
from dibs.sources.model import Failure, Fault
from dibs.sources.reddit import RedditSource
from dibs.telemetry import emit, events_collect, metrics_collect

BATCH = 25
# Whoever found them had this long to get to them.
LEFT_AFTER = timedelta(minutes=30)
MOST_LEFT = 100


class LeaseLostError(Exception):
    """Somebody else runs this now."""


@dataclass(slots=True)
class _Tally:
    """Where a run stands; what people see is made from it."""

    progress: Progress
    found: FoundPosts

    def add(self, batch: Processed) -> None:
        self.progress = replace(
            self.progress,
            batches_done=self.progress.batches_done + 1,
            mentions_found=self.progress.mentions_found + batch.mentions,
            entities_found=self.progress.entities_found + batch.new_entities,
        )


class Collector:
    """Runs requests, one after the other; any number of processes may have one."""

    def __init__(
        self, db: Database, clock: Clock, queue: CollectionQueue, reddit: RedditSource, config: Collect
    ) -> None:
        self._db = db
        self._clock = clock
        self._queue = queue
        self._reddit = reddit
        self._config = config
        self._extractor = load_extractor(config.extractor)

    async def run_once(self) -> float:
        """Promotes what is due again, and runs one request; 0 while there is more."""
        if not self._reddit.configured:
            return 60.0
        await self._queue.promote()
        runs = await self._queue.claim(1)
        for run in runs:
            await self.run(run)
        return 0.0 if runs else 30.0

    async def run(self, run: Run) -> RunResult | None:
        """One run from its claim to its end; None: it was lost to another worker."""
        tally = _Tally(Progress(Stage.SEARCHING), FoundPosts())
        try:
            failure = await self._collect(run, tally)
        except LeaseLostError:
            return None
        except psycopg.Error:
            raise
        except Exception as error:  # noqa: BLE001 -- an extractor of others may raise anything; the request must rest
            emit(events_collect.RUN_BROKE, exc_info=error, request_id=run.request_id, term=run.term)
            failure = Failure(Fault.TRANSIENT, f"broke: {type(error).__name__}")
        result = result_of(tally.found, tally.progress, failure)
        return result if await self._queue.settle(run, result) else None

    async def _collect(self, run: Run, tally: _Tally) -> Failure | None:
        async def told(found: FoundPosts) -> None:
            tally.found = found
            tally.progress = replace(tally.progress, posts_found=len(found.posts))
            await self._report(run, tally)

        most = self._config.reddit.posts_per_sort
        tally.found = await find_posts(self._reddit, self._clock, run, most_per_sort=most, told=told)
        metrics_collect.POSTS.inc(len(tally.found.posts))
        posts, unread = await self._store(run, list(tally.found.posts.values()))
        batches = [posts[at : at + BATCH] for at in range(0, len(posts), BATCH)]
        tally.progress = replace(tally.progress, stage=Stage.LOADING, batches_total=len(batches))
        await self._report(run, tally)
        failure = await self._process(run, tally, batches, unread)
        return tally.found.failure or failure

    async def _store(self, run: Run, posts: Sequence[Post]) -> tuple[list[Post], set[str]]:
        """Everything to process, and which of it was never read with its comments."""
        now = self._clock.now()
        async with self._db.transaction() as connection:
            stored = await mention_store.put_posts(connection, posts=posts, now=now)
            left = await collect_store.list_left_posts(
                connection, location_key=run.location_key, before=now - LEFT_AFTER, limit=MOST_LEFT
            )
        unread = {one.post_id for one in stored if one.unprocessed} | {post.post_id for post in left}
        every = {post.post_id: post for post in [*posts, *left]}
        return list(every.values()), unread

    async def _process(
        self, run: Run, tally: _Tally, batches: Sequence[Sequence[Post]], unread: set[str]
    ) -> Failure | None:
        processor = self._processor(run)
        for batch in batches:
            tally.progress = replace(tally.progress, stage=Stage.LOADING)
            loaded, failure = await self._load(run, tally, [post for post in batch if post.post_id in unread])
            if failure:
                return failure
            tally.progress = replace(tally.progress, stage=Stage.PROCESSING)
            await self._report(run, tally)
            done = await processor.process(batch, loaded)
            metrics_collect.MENTIONS.inc(done.mentions)
            tally.add(done)
            await self._report(run, tally)
        return None

    def _processor(self, run: Run) -> Processor:
        wish = Wish(run.term, run.entity_type, run.location_key, run.bias)
        return Processor(
            self._db,
            self._clock,
            self._extractor,
            wish,
            extractor_name=self._config.extractor,
            candidates=self._config.candidates_per_run,
        )

    async def _load(self, run: Run, tally: _Tally, posts: Sequence[Post]) -> tuple[list[Comment], Failure | None]:
        reddit = self._config.reddit
        limits = CommentLimits(reddit.comments_per_post, reddit.more_requests_per_post)
        loaded: list[Comment] = []
        for post in posts:
            comments = await load_comments(self._reddit, post, limits)
            if isinstance(comments, Failure):
                return loaded, comments
            loaded += comments
            metrics_collect.COMMENTS.inc(len(comments))
            await self._report(run, tally)
        return loaded, None

    async def _report(self, run: Run, tally: _Tally) -> None:
        if not await self._queue.report(run, tally.progress, tally.found.attempted):
            raise LeaseLostError


def result_of(found: FoundPosts, progress: Progress, failure: Failure | None) -> RunResult:
    """How the run ended. Only a run in which every search was answered may say that there is nothing."""
    outcome = Outcome.ERROR if failure else Outcome.SUCCESS if found.posts else Outcome.NO_RESULTS
    return RunResult(
        outcome=outcome,
        attempted=tuple(found.attempted),
        posts=len(found.posts),
        mentions=progress.mentions_found,
        error=failure.reason if failure else None,
    )
