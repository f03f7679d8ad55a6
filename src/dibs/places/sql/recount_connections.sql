INSERT INTO connection AS known (restaurant_id, subject_id, mention_count, mention_score, last_mentioned_at)
SELECT restaurant_id, subject_id, count(*), sum(score), max(mentioned_at)
FROM mention
WHERE restaurant_id = %(restaurant_id)s AND subject_id IS NOT NULL
GROUP BY restaurant_id, subject_id
ORDER BY subject_id
ON CONFLICT (restaurant_id, subject_id) DO UPDATE
SET mention_count = excluded.mention_count,
    mention_score = excluded.mention_score,
    last_mentioned_at = excluded.last_mentioned_at;
