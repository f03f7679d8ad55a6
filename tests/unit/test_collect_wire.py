"""Whatever a provider sends, the wire formats answer with records or with Malformed, and with nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.sources import google_places_wire, reddit_wire

READERS: dict[str, Callable[[bytes], Any]] = {
    "token": reddit_wire.read_token,
    "posts": reddit_wire.read_posts,
    "comments": lambda body: reddit_wire.read_comments(body, 50),
    "more": lambda body: reddit_wire.read_more(body, 50),
    "suggestions": google_places_wire.read_suggestions,
    "places": google_places_wire.read_places,
    "place": google_places_wire.read_place,
}
MALFORMED = (reddit_wire.Malformed, google_places_wire.Malformed)

NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.just(1734700000.0))
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, st.text(max_size=8), st.just("abc"))
# Python writes these into JSON, which has no word for them: the whole body is then malformed.
NOT_JSON = st.sampled_from([float("nan"), float("inf"), float("-inf")])
FIELD_NAMES = """
kind data children after id title selftext created_utc score num_comments replies body parent_id
json things access_token expires_in places suggestions placePrediction placeId structuredFormat
mainText text displayName location latitude longitude types formattedAddress distanceMeters t1 t3
more
"""
KEYS = st.sampled_from(FIELD_NAMES.split())
DOCUMENTS = st.recursive(
    st.one_of(SCALARS, NOT_JSON, st.sampled_from(["t1", "t3", "more", "Listing"])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=25,
)


@pytest.mark.parametrize("name", READERS)
@given(document=DOCUMENTS)
def test_any_document(name: str, document: Any) -> None:
    with suppress(*MALFORMED):
        READERS[name](json.dumps(document).encode())


@pytest.mark.parametrize("name", READERS)
@given(body=st.binary(max_size=60))
def test_any_bytes(name: str, body: bytes) -> None:
    with suppress(*MALFORMED):
        READERS[name](body)


def _post(**fields: Any) -> dict[str, Any]:
    return {"kind": "t3", "data": {"id": "abc", "created_utc": 1734700000.0, **fields}}


FIELDS = ("id", "created_utc", "title", "selftext", "subreddit", "permalink", "score", "num_comments")


@given(st.dictionaries(st.sampled_from(FIELDS), SCALARS, max_size=8))
def test_one_bad_post_never_spoils_the_page(fields: dict[str, Any]) -> None:
    children = [_post(id="good"), _post(**fields)]
    page = reddit_wire.read_posts(json.dumps({"data": {"children": children, "after": None}}).encode())
    assert page.posts[0].post_id == "t3_good"
    assert len({post.post_id for post in page.posts}) + page.skipped in {1, 2}
    for post in page.posts:
        assert "\x00" not in post.title + post.body
        assert abs(post.score) <= 2**31 - 1
        assert post.comment_count >= 0


@given(NOT_JSON)
def test_a_number_that_json_has_no_word_for_is_malformed(number: float) -> None:
    with pytest.raises(reddit_wire.Malformed):
        reddit_wire.read_posts(json.dumps({"data": {"children": [_post(score=number)], "after": None}}).encode())


@given(st.binary(max_size=200))
def test_an_error_body_gives_a_short_reason_or_none(body: bytes) -> None:
    said = google_places_wire.read_error(body)
    assert said is None or 0 < len(said) <= 200
    wrapped = json.dumps({"error": {"status": "X", "message": body.decode("latin-1")}}).encode()
    assert (google_places_wire.read_error(wrapped) or "").startswith("X")
