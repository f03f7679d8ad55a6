"""From findings to mentions: who said what about which restaurant. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dibs.demand.extract import Finding
from dibs.demand.extract.fold import collapse
from dibs.places.model import Comment, Mention, Post

# What a post asks for is what its answers are about; one that asks for everything asks for nothing.
MOST_INHERITED = 5


@dataclass(frozen=True, slots=True)
class Text:
    """A post or a comment, ready to be read."""

    source_id: str
    post_id: str
    text: str
    score: int
    at: datetime


def texts_of(posts: Sequence[Post], comments: Iterable[Comment]) -> list[Text]:
    """Each post before its comments; empty ones (removed, deleted) are left out."""
    by_post: dict[str, list[Comment]] = {}
    for comment in comments:
        by_post.setdefault(comment.post_id, []).append(comment)
    texts: list[Text] = []
    for post in posts:
        own = f"{post.title}\n{post.body}"
        texts.append(Text(post.post_id, post.post_id, own, post.score, post.posted_at))
        texts += [
            Text(comment.comment_id, post.post_id, comment.body, comment.score, comment.posted_at)
            for comment in by_post.get(post.post_id, ())
            if comment.body
        ]
    return texts


def mentions_of(texts: Sequence[Text], findings: Sequence[Finding]) -> list[Mention]:
    """Restaurants with the foods and attributes of the same text.

    An answer that names a restaurant and nothing else is about what the post asked for.
    """
    asked: dict[str, tuple[int, ...]] = {
        text.post_id: finding.others
        for text, finding in zip(texts, findings, strict=True)
        if text.source_id == text.post_id and len(finding.others) <= MOST_INHERITED
    }
    return [
        Mention(restaurant, subject, text.source_id, text.post_id, text.score, text.at)
        for text, finding in zip(texts, findings, strict=True)
        for restaurant in finding.restaurants
        for subject in (finding.others or asked.get(text.post_id) or (None,))
    ]


def best_candidates(
    texts: Sequence[Text],
    findings: Sequence[Finding],
    most: int,
    *,
    besides: Iterable[str],
) -> list[str]:
    """The guesses that most people share, as first written; each text counts once for a name."""
    known = {collapse(name) for name in besides}
    written: dict[str, str] = {}
    voices: Counter[str] = Counter()
    heard: set[tuple[str, str]] = set()
    for text, finding in zip(texts, findings, strict=True):
        for name in finding.candidates:
            key = collapse(name)
            written.setdefault(key, name)
            if key not in known and (key, text.source_id) not in heard:
                heard.add((key, text.source_id))
                voices[key] += 1
    ordered = sorted(voices, key=lambda key: (-voices[key], key))
    return [written[key] for key in ordered[:most]]


def as_written(term: str, texts: Iterable[Text]) -> str:
    """The requested name as people write it: with its capitals, if anybody wrote them; else as asked for."""
    words = r"[\W_]{1,3}".join(re.escape(word) for word in term.split())
    pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    spellings = Counter(
        match.group() for text in texts for match in pattern.finditer(text.text) if match.group()[0].isupper()
    )
    best = min(spellings, key=lambda name: (-spellings[name], name.isupper(), name), default=term)
    return best if collapse(best) == collapse(term) else term
