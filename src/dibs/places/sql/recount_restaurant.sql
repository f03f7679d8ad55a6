UPDATE entity
SET mention_count = counted.mentions, mention_score = counted.score, last_mentioned_at = counted.last
FROM (
    SELECT count(*) AS mentions, coalesce(sum(score), 0) AS score, max(mentioned_at) AS last
    FROM mention
    WHERE restaurant_id = %(restaurant_id)s AND subject_id IS NULL
) AS counted
WHERE entity_id = %(restaurant_id)s;
