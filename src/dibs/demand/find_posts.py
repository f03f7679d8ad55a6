"""The search step of a run: posts only, by the plan of sorts, paged, each post once."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from dibs.clock import Clock
from dibs.demand.model import Attempt, Run, SortStep
from dibs.demand.sorts import plan_sorts, widen
from dibs.places.model import Post
from dibs.sources.model import Failure
from dibs.sources.reddit import RedditSource
from dibs.sources.reddit_wire import RedditPost


@dataclass(slots=True)
class FoundPosts:
    """What the searches gave so far. A failed search is told and was not attempted: its sort stays due."""

    posts: dict[str, Post] = field(default_factory=dict[str, Post])
    attempted: list[Attempt] = field(default_factory=list[Attempt])
    failure: Failure | None = None


Told = Callable[[FoundPosts], Awaitable[None]]


async def find_posts(reddit: RedditSource, clock: Clock, run: Run, *, most_per_sort: int, told: Told) -> FoundPosts:
    """Makes the planned searches; `told` hears of every page."""
    found = FoundPosts()
    steps = deque(plan_sorts(run.sort_history, run.safe_interval_days, clock.now()))
    while steps:
        step = steps.popleft()
        count = await _search(reddit, run, step, found, most_per_sort, told)
        if isinstance(count, Failure):
            found.failure = count
            return found
        found.attempted.append(Attempt(run.location_key, step.sort, step.time_filter, count, clock.now()))
        await told(found)
        wider = widen(step, count)
        if wider:
            steps.appendleft(wider)
    return found


async def _search(
    reddit: RedditSource, run: Run, step: SortStep, found: FoundPosts, most: int, told: Told
) -> int | Failure:
    """One search with all its pages: how many posts it gave."""
    seen: set[str] = set()
    after: str | None = None
    while len(seen) < most:
        page = await reddit.search(
            run.location_key, run.term, sort=step.sort, time_filter=step.time_filter, after=after
        )
        if isinstance(page, Failure):
            return page
        before = len(seen)
        for post in page.posts[: most - before]:
            if post.subreddit in {"", run.location_key}:
                seen.add(post.post_id)
                found.posts.setdefault(post.post_id, post_of(post, run.location_key))
        await told(found)
        # A page that brings nothing new would be asked for again and again.
        if page.after is None or page.after == after or len(seen) == before:
            break
        after = page.after
    return len(seen)


def post_of(post: RedditPost, location_key: str) -> Post:
    return Post(
        post_id=post.post_id,
        location_key=location_key,
        title=post.title,
        body=post.body,
        permalink=post.permalink,
        score=post.score,
        comment_count=post.comment_count,
        posted_at=post.posted_at,
    )
