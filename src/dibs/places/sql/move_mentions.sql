WITH moved AS (
    INSERT INTO mention (restaurant_id, subject_id, source_id, post_id, score, mentioned_at)
    SELECT %(into_id)s, subject_id, source_id, post_id, score, mentioned_at
    FROM mention WHERE restaurant_id = %(from_id)s
    ON CONFLICT ON CONSTRAINT mention_once DO NOTHING
    RETURNING mention_id
)
SELECT count(*) FROM moved;
