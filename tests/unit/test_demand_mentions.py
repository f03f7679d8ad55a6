"""From findings to mentions: links, what an answer inherits from its post, which guesses count."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dibs.demand.collect import result_of
from dibs.demand.extract import NOTHING, Finding
from dibs.demand.find_posts import FoundPosts
from dibs.demand.mentions import MOST_INHERITED, Text, as_written, best_candidates, mentions_of, texts_of
from dibs.demand.model import Outcome, Progress, Stage
from dibs.places.model import Comment, Post
from dibs.sources.model import Failure, Fault

NOW = datetime(2026, 3, 2, tzinfo=UTC)
POST = Post("t3_a", "austinfood", "title", "body", "", 7, 2, NOW)


def comment(comment_id: str, body: str = "x", post_id: str = "t3_a") -> Comment:
    return Comment(comment_id, post_id, post_id, body, 1, NOW)


def text(source_id: str, body: str = "") -> Text:
    return Text(source_id, "t3_a", body, 1, NOW)


def links(*findings: Finding) -> list[tuple[str, int, int | None]]:
    texts = [text("t3_a"), *(text(f"t1_{number}") for number in range(1, len(findings)))]
    return [(one.source_id, one.restaurant_id, one.subject_id) for one in mentions_of(texts, findings)]


def test_texts_are_posts_with_their_own_comments_and_no_removed_ones() -> None:
    other = Post("t3_b", "austinfood", "b", "", "", 1, 0, NOW)
    comments = [comment("t1_1"), comment("t1_2", ""), comment("t1_3", "y", "t3_b"), comment("t1_4", "z", "t3_gone")]
    assert [(one.source_id, one.post_id) for one in texts_of([POST, other], comments)] == [
        ("t3_a", "t3_a"),
        ("t1_1", "t3_a"),
        ("t3_b", "t3_b"),
        ("t1_3", "t3_b"),
    ]


def test_a_restaurant_is_linked_with_what_stands_in_the_same_text() -> None:
    assert links(Finding((1, 2), (8, 9))) == [("t3_a", 1, 8), ("t3_a", 1, 9), ("t3_a", 2, 8), ("t3_a", 2, 9)]
    assert links(Finding((1,))) == [("t3_a", 1, None)]
    assert links(Finding((), (8,))) == []


def test_an_answer_without_a_food_is_about_what_the_post_asked_for() -> None:
    assert links(Finding((), (8,)), Finding((1,)), Finding((2,), (9,))) == [("t1_1", 1, 8), ("t1_2", 2, 9)]


def test_a_post_that_asks_for_everything_asks_for_nothing() -> None:
    everything = tuple(range(MOST_INHERITED + 1))
    assert links(Finding((), everything), Finding((77,))) == [("t1_1", 77, None)]


def test_the_guesses_that_most_texts_share_come_first() -> None:
    findings = [Finding(candidates=names) for names in (("Suerte", "Uchi"), ("Odd Duck",), ("odd duck", "Loro"))]
    texts = [text(f"t1_{number}") for number in range(3)]
    assert best_candidates(texts, findings, 2, besides=["loro"]) == ["Odd Duck", "Suerte"]
    assert best_candidates(texts, findings, 9, besides=["loro"]) == ["Odd Duck", "Suerte", "Uchi"]
    assert best_candidates(texts, findings, 0, besides=[]) == []
    assert best_candidates([], [], 5, besides=[]) == []


@pytest.mark.parametrize(
    ("term", "bodies", "written"),
    [
        ("loro", ["I like loro", "Loro and LORO and Loro"], "Loro"),
        ("loro", ["loro"], "loro"),
        ("odd duck", ["the Odd-Duck"], "Odd-Duck"),
        ("Odd Duck", ["nothing"], "Odd Duck"),
        ("torchy", ["Torchys"], "torchy"),
        ("a.*b(", ["A.*b( x"], "A.*b("),
        ("", ["anything"], ""),
    ],
)
def test_a_name_is_kept_as_people_write_it(term: str, bodies: list[str], written: str) -> None:
    assert as_written(term, [text("t1_1", body) for body in bodies]) == written


def test_only_a_run_whose_searches_were_all_answered_may_say_that_there_is_nothing() -> None:
    progress = Progress(Stage.SEARCHING)
    some = FoundPosts(posts={"t3_a": POST})
    broken = Failure(Fault.TRANSIENT, "http_500", 500)
    assert result_of(FoundPosts(), progress, None).outcome is Outcome.NO_RESULTS
    assert result_of(some, progress, None).outcome is Outcome.SUCCESS
    assert result_of(FoundPosts(), progress, broken).outcome is Outcome.ERROR
    assert result_of(some, progress, broken).outcome is Outcome.ERROR
    assert result_of(some, progress, broken).error == "http_500"
    assert NOTHING.links() == []
