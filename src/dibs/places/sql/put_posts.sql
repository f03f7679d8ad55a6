-- Posts recur across sorts and runs: the newest look wins, and what is new is told.
INSERT INTO community_post AS known (post_id, location_key, title, body, permalink, score, comment_count, posted_at,
                                     collected_at)
SELECT post_id, location_key, title, body, permalink, score, comment_count, posted_at, %(now)s
FROM jsonb_to_recordset(%(posts)s) AS post (post_id text, location_key text, title text, body text, permalink text,
                                            score integer, comment_count integer, posted_at timestamptz)
ORDER BY post_id
ON CONFLICT (post_id) DO UPDATE
SET title = excluded.title,
    body = excluded.body,
    score = excluded.score,
    comment_count = excluded.comment_count,
    collected_at = excluded.collected_at,
    -- Somebody answered since: it is read again.
    processed_at = CASE WHEN known.comment_count = excluded.comment_count THEN known.processed_at END
RETURNING post_id, processed_at IS NULL AS unprocessed;
