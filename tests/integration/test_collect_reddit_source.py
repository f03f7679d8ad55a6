"""Reddit's source against the simulated Reddit, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from msgspec import structs

from collect_harness import Outside, outside_world, sources_of, time_passes
from dibs.clock import FakeClock
from dibs.config.sections import Reddit
from dibs.db import Database
from dibs.sim.trouble import HTML, Trouble
from dibs.sources.http import open_client
from dibs.sources.model import Failure, Fault
from dibs.sources.reddit import RedditSource
from dibs.sources.reddit_wire import CommentPage, PostPage


@pytest.fixture
async def outside(clock: FakeClock) -> AsyncIterator[Outside]:
    async with outside_world(clock, token_s=3600) as outside:
        yield outside


@pytest.fixture
async def reddit(outside: Outside, db: Database, clock: FakeClock) -> AsyncIterator[RedditSource]:
    async with sources_of(outside.config, db, clock) as sources:
        yield sources.reddit


async def search(reddit: RedditSource, term: str = "ramen", **options: Any) -> PostPage | Failure:
    asked: dict[str, Any] = {"sort": "new", "time_filter": None, **options}
    return await reddit.search("austinfood", term, **asked)


async def test_search_pages_by_after_and_stays_in_its_community(outside: Outside, reddit: RedditSource) -> None:
    for number in range(130):
        outside.reddit.post("austinfood", f"Ramen number {number}", age=timedelta(hours=number + 1))
    outside.reddit.post("dallasfood", "Ramen in Dallas")
    first = await search(reddit)
    assert isinstance(first, PostPage)
    assert len(first.posts) == 100
    assert first.posts[0].title == "Ramen number 0"
    second = await search(reddit, after=first.after)
    assert isinstance(second, PostPage)
    assert (len(second.posts), second.after) == (30, None)
    assert {post.subreddit for post in first.posts + second.posts} == {"austinfood"}


async def test_the_time_filter_applies_to_top_but_not_to_new(outside: Outside, reddit: RedditSource) -> None:
    outside.reddit.post("austinfood", "Old ramen", age=timedelta(days=200))
    for sort, found in (("new", 1), ("top", 0)):
        page = await search(reddit, sort=sort, time_filter="month")
        assert isinstance(page, PostPage)
        assert len(page.posts) == found


async def test_nothing_found_is_an_empty_page_and_no_failure(outside: Outside, reddit: RedditSource) -> None:
    outside.reddit.found("austinfood")
    assert await search(reddit) == PostPage([], None, 0)


async def test_comments_come_nested_and_the_rest_by_more(
    outside: Outside, reddit: RedditSource, clock: FakeClock
) -> None:
    outside.reddit.first_comments = 3
    post = outside.reddit.post(
        "austinfood",
        "Where?",
        comments=[("Uchi", [("Agreed", ["Same"])]), "Suerte", ("Odd Duck", ["hidden reply"])],
    )
    page = await reddit.comments("austinfood", f"t3_{post.id}", limit=500)
    assert isinstance(page, CommentPage)
    assert [comment.body for comment in page.comments] == ["Uchi", "Agreed", "Same"]
    rest = await reddit.more_comments(f"t3_{post.id}", page.more, limit=500)
    assert isinstance(rest, CommentPage)
    assert [comment.body for comment in rest.comments] == ["Suerte", "Odd Duck"]
    last = await reddit.more_comments(f"t3_{post.id}", rest.more, limit=500)
    assert isinstance(last, CommentPage)
    assert [comment.body for comment in last.comments] == ["hidden reply"]
    assert last.comments[0].parent_id == rest.comments[1].comment_id


async def test_a_token_is_reused_and_renewed_before_it_ends(
    outside: Outside, reddit: RedditSource, clock: FakeClock
) -> None:
    outside.reddit.found("austinfood")
    for _ in range(3):
        assert isinstance(await search(reddit), PostPage)
    assert len(outside.reddit.tokens) == 1
    clock.advance(3590)
    assert isinstance(await search(reddit), PostPage)
    assert len(outside.reddit.tokens) == 2


async def test_a_token_that_is_taken_back_is_replaced_once(outside: Outside, reddit: RedditSource) -> None:
    outside.reddit.found("austinfood")
    await search(reddit)
    outside.reddit.tokens.clear()
    assert isinstance(await search(reddit), PostPage)
    outside.reddit.troubles.always(Trouble(401, b"{}"), where="/search")
    before = len(outside.reddit.asked)
    answer = await search(reddit)
    assert isinstance(answer, Failure)
    assert (answer.fault, answer.status) == (Fault.CONFIGURATION, 401)
    assert len(outside.reddit.asked) == before + 2


async def test_wrong_credentials_are_a_failure_that_a_person_mends(outside: Outside, reddit: RedditSource) -> None:
    outside.reddit.client_secret = "changed"
    answer = await search(reddit)
    assert isinstance(answer, Failure)
    assert (answer.fault, answer.status) == (Fault.CONFIGURATION, 401)
    assert outside.reddit.asked == []


async def test_without_credentials_nothing_is_asked(db: Database, clock: FakeClock, outside: Outside) -> None:
    async with open_client(allow_private=True) as client:
        source = RedditSource(Reddit(), client, db, clock)
        answer = await search(source)
    assert isinstance(answer, Failure)
    assert "client_id" in answer.reason


async def test_an_unknown_community_is_a_failure(reddit: RedditSource) -> None:
    answer = await search(reddit)
    assert isinstance(answer, Failure)
    assert answer.status == 404


async def test_a_used_up_limit_is_left_alone_until_it_resets(
    outside: Outside, reddit: RedditSource, clock: FakeClock
) -> None:
    outside.reddit.found("austinfood")
    outside.reddit.per_window = 2
    assert isinstance(await search(reddit), PostPage)
    assert isinstance(await search(reddit), PostPage)
    asked = len(outside.reddit.asked)
    answer = await search(reddit)
    assert isinstance(answer, Failure)
    assert (answer.fault, answer.reason) == (Fault.LIMITED, "ratelimit_used_up")
    assert len(outside.reddit.asked) == asked
    clock.advance(answer.retry_after_s or 0)
    assert isinstance(await search(reddit), PostPage)


async def test_429_pauses_every_process(outside: Outside, reddit: RedditSource, db: Database, clock: FakeClock) -> None:
    outside.reddit.found("austinfood")
    await search(reddit)
    outside.reddit.troubles.next(Trouble(429, b"{}", headers={"Retry-After": "120"}))
    answer = await search(reddit)
    assert isinstance(answer, Failure)
    assert (answer.fault, answer.retry_after_s) == (Fault.LIMITED, 120)
    async with sources_of(outside.config, db, clock) as other_process:
        refused = await search(other_process.reddit)
    assert isinstance(refused, Failure)
    assert (refused.fault, refused.reason) == (Fault.LIMITED, "http_429")
    clock.advance(121)
    assert isinstance(await search(reddit), PostPage)


async def test_the_spacing_holds_over_all_processes(outside: Outside, db: Database, clock: FakeClock) -> None:
    outside.reddit.found("austinfood")
    async with (
        sources_of(outside.config, db, clock) as one,
        sources_of(outside.config, db, clock) as two,
    ):
        for source in (one.reddit, two.reddit, one.reddit, two.reddit):
            await search(source)
    moments = [asked.at for asked in outside.reddit.asked]
    gaps = [(after - before).total_seconds() for before, after in pairwise(moments)]
    assert all(gap >= 1.2 for gap in gaps)


BAD_LISTINGS = {
    "html": HTML,
    "empty": Trouble(200, b""),
    "truncated json": Trouble(200, b'{"kind":"Listing","data":{"children":['),
    "cut connection": Trouble(200, b'{"kind":"Listing"', missing=100),
    "a list": Trouble(200, b"[]"),
    "null": Trouble(200, b"null"),
    "null data": Trouble(200, b'{"kind":"Listing","data":null}'),
    "null children": Trouble(200, b'{"kind":"Listing","data":{"children":null}}'),
    "wrong types": Trouble(200, b'{"kind":"Listing","data":{"children":"many","after":7}}'),
    "only broken posts": Trouble(200, b'{"data":{"children":[{"kind":"t3","data":{"id":5}},null,{}]}}'),
    "not utf-8": Trouble(200, b'{"data":{"children":[],"after":"\xff"}}'),
    "deep": Trouble(200, b'{"data":{"children":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"),
    "500": Trouble(500),
    "503 with a page": Trouble(503, b"<html>", "text/html"),
    "redirect": Trouble(302, b"", headers={"Location": "/subreddits/search"}),
}


@pytest.mark.parametrize("name", BAD_LISTINGS)
async def test_a_bad_answer_is_a_failure_and_never_nothing(outside: Outside, reddit: RedditSource, name: str) -> None:
    outside.reddit.found("austinfood")
    outside.reddit.troubles.always(BAD_LISTINGS[name], where="/search")
    answer = await search(reddit)
    assert isinstance(answer, Failure), name
    assert answer.reason


def post(post_id: Any, **fields: Any) -> dict[str, Any]:
    return {"kind": "t3", "data": {"id": post_id, "created_utc": 1734700000.0, "title": "t", **fields}}


async def test_broken_records_are_left_out_and_the_rest_is_read(outside: Outside, reddit: RedditSource) -> None:
    children = [
        post("aaa", selftext=None, score=None, num_comments=None, subreddit=None, permalink=None),
        post("aaa", title="the same again"),
        post("bbb", score=1e300, num_comments=-5, permalink="https://evil.example/", selftext="[removed]"),
        post("ccc", created_utc=1e300),
        post("ddd", created_utc=-1),
        post("../etc"),
        post("eee", title="a\x00b &amp; c"),
        post(None),
        {"kind": "t1", "data": {}},
        None,
        7,
    ]
    body = json.dumps({"kind": "Listing", "data": {"after": "../x", "children": children}}).encode()
    outside.reddit.troubles.always(Trouble(200, body), where="/search")
    page = await search(reddit)
    assert isinstance(page, PostPage)
    assert [one.post_id for one in page.posts] == ["t3_aaa", "t3_bbb", "t3_eee"]
    assert page.skipped == 7
    assert page.after is None
    assert (page.posts[1].score, page.posts[1].comment_count) == (2**31 - 1, 0)
    assert (page.posts[1].permalink, page.posts[1].body) == ("", "")
    assert page.posts[2].title == "ab & c"


async def test_a_hostile_tree_is_read_up_to_the_limit(outside: Outside, reddit: RedditSource) -> None:
    def comment(number: int, replies: Any = "") -> dict[str, Any]:
        data = {"id": f"c{number}", "body": "x", "created_utc": 1734700000, "replies": replies}
        return {"kind": "t1", "data": data}

    chain: Any = ""
    for number in range(60):
        chain = {"kind": "Listing", "data": {"children": [comment(number, chain)]}}
    many = [comment(number) for number in range(100, 1000)] + [comment(100), {"kind": "t1", "data": {"id": 3}}]
    tree = {"kind": "Listing", "data": {"children": chain["data"]["children"] + many}}
    body = json.dumps([{"kind": "Listing", "data": {"children": []}}, tree]).encode()
    outside.reddit.troubles.always(Trouble(200, body), where="/comments/")
    page = await reddit.comments("austinfood", "t3_abc", limit=200)
    assert isinstance(page, CommentPage)
    assert len(page.comments) == 200
    everything = await reddit.comments("austinfood", "t3_abc", limit=5000)
    assert isinstance(everything, CommentPage)
    assert len(everything.comments) == 960
    assert everything.skipped == 1


@pytest.mark.parametrize("body", [b"[]", b"[1]", b"{}", b'[{"data":{"children":[]}}]', b"<p>", b"[null,null]"])
async def test_a_bad_tree_is_a_failure(outside: Outside, reddit: RedditSource, body: bytes) -> None:
    outside.reddit.troubles.always(Trouble(200, body), where="/api/more")
    outside.reddit.troubles.always(Trouble(200, body), where="/comments/")
    assert isinstance(await reddit.comments("austinfood", "t3_abc", limit=10), Failure)
    assert isinstance(await reddit.more_comments("t3_abc", ["a"], limit=10), Failure)


async def test_a_huge_body_is_refused(outside: Outside, db: Database, clock: FakeClock) -> None:
    outside.reddit.found("austinfood")
    outside.reddit.troubles.always(Trouble(200, b" " * 300_000), where="/search")
    async with open_client(allow_private=True, max_body=100_000) as client:
        source = RedditSource(outside.config.collect.reddit, client, db, clock, time_passes(clock))
        answer = await search(source)
    assert isinstance(answer, Failure)
    assert answer.reason.startswith("too_large")


@pytest.mark.parametrize("gap", [1.2, 0.0])
async def test_searches_at_once_get_turns_that_are_spaced(
    outside: Outside, db: Database, clock: FakeClock, gap: float
) -> None:
    outside.reddit.found("austinfood")
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(round(seconds, 3))

    config = structs.replace(outside.config.collect.reddit, search_gap_s=gap, page_gap_s=0.0)
    async with open_client(allow_private=True) as client:
        # All at the same moment: the clock stands still meanwhile.
        source = RedditSource(config, client, db, clock, note)
        answers = await asyncio.gather(*(search(source) for _ in range(10)))
    assert all(isinstance(answer, PostPage) for answer in answers)
    # Without a gap nobody waits: the spacing is what makes the difference.
    assert sorted(waits) == ([round(gap * turn, 3) for turn in range(1, 10)] if gap else [])


async def test_many_tasks_share_one_token(outside: Outside, reddit: RedditSource) -> None:
    outside.reddit.found("austinfood")
    answers = await asyncio.gather(*(search(reddit) for _ in range(8)))
    assert all(isinstance(answer, PostPage) for answer in answers)
    assert len(outside.reddit.tokens) == 1
