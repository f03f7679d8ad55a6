INSERT INTO community_comment AS known (comment_id, post_id, parent_id, body, score, posted_at)
SELECT comment_id, post_id, parent_id, body, score, posted_at
FROM jsonb_to_recordset(%(comments)s) AS comment (comment_id text, post_id text, parent_id text, body text,
                                                  score integer, posted_at timestamptz)
ORDER BY comment_id
ON CONFLICT (comment_id) DO UPDATE
SET body = excluded.body, score = excluded.score
WHERE (known.body, known.score) IS DISTINCT FROM (excluded.body, excluded.score);
