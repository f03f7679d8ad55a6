"""The comments of a post, loaded by its id: the tree, and what it only hints at, up to a limit."""

from __future__ import annotations

from dataclasses import dataclass

from dibs.places.model import Comment, Post
from dibs.sources.model import Failure
from dibs.sources.reddit import MORE_AT_ONCE, RedditSource
from dibs.sources.reddit_wire import RedditComment

# The post was deleted, or is for members: nothing will ever come, and nothing is wrong with Reddit.
UNREADABLE = frozenset({403, 404})


@dataclass(frozen=True, slots=True)
class CommentLimits:
    comments: int = 500
    more_requests: int = 5


async def load_comments(reddit: RedditSource, post: Post, limits: CommentLimits) -> list[Comment] | Failure:
    if not limits.comments:
        return []
    page = await reddit.comments(post.location_key, post.post_id, limit=limits.comments)
    if isinstance(page, Failure):
        return [] if page.status in UNREADABLE else page
    found = {comment.comment_id: comment for comment in page.comments}
    more = dict.fromkeys(page.more)
    for _ in range(limits.more_requests):
        room = limits.comments - len(found)
        asked = list(more)[:MORE_AT_ONCE]
        if room <= 0 or not asked:
            break
        rest = await reddit.more_comments(post.post_id, asked, limit=room)
        if isinstance(rest, Failure):
            return rest
        for one in asked:
            del more[one]
        found |= {comment.comment_id: comment for comment in rest.comments}
        more |= dict.fromkeys(one for one in rest.more if f"t1_{one}" not in found)
    return [_comment_of(comment, post) for comment in found.values()]


def _comment_of(comment: RedditComment, post: Post) -> Comment:
    return Comment(
        comment_id=comment.comment_id,
        post_id=post.post_id,
        parent_id=comment.parent_id or post.post_id,
        body=comment.body,
        score=comment.score,
        posted_at=comment.posted_at,
    )
