SELECT comment_id, post_id, parent_id, body, score, posted_at
FROM community_comment
WHERE post_id = ANY (%(post_ids)s::text[])
ORDER BY post_id, comment_id;
