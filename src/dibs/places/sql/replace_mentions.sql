-- The mentions of these posts become exactly the given ones; connections and counters follow by the difference.
WITH found AS (
    SELECT DISTINCT ON (source_id, restaurant_id, subject_id) *
    FROM jsonb_to_recordset(%(mentions)s) AS mention (restaurant_id bigint, subject_id bigint, source_id text,
                                                      post_id text, score integer, mentioned_at timestamptz)
    ORDER BY source_id, restaurant_id, subject_id
),
before AS (
    SELECT mention_id, source_id, restaurant_id, subject_id, score, mentioned_at
    FROM mention
    WHERE post_id = ANY (%(post_ids)s::text[])
    FOR UPDATE
),
gone AS (
    DELETE FROM mention
    USING before
    WHERE mention.mention_id = before.mention_id
      AND NOT EXISTS (SELECT FROM found
                      WHERE found.source_id = before.source_id
                        AND found.restaurant_id = before.restaurant_id
                        AND found.subject_id IS NOT DISTINCT FROM before.subject_id)
    RETURNING mention.restaurant_id, mention.subject_id, mention.mentioned_at, -1 AS mentions, -mention.score AS score
),
written AS (
    INSERT INTO mention AS known (restaurant_id, subject_id, source_id, post_id, score, mentioned_at)
    SELECT restaurant_id, subject_id, source_id, post_id, score, mentioned_at FROM found
    ON CONFLICT ON CONSTRAINT mention_once DO UPDATE
    SET score = excluded.score, mentioned_at = excluded.mentioned_at
    WHERE (known.score, known.mentioned_at) IS DISTINCT FROM (excluded.score, excluded.mentioned_at)
    RETURNING source_id, restaurant_id, subject_id, score, mentioned_at
),
difference AS (
    SELECT restaurant_id, subject_id, mentioned_at, mentions, score FROM gone
    UNION ALL
    SELECT written.restaurant_id, written.subject_id, written.mentioned_at,
           CASE WHEN before.mention_id IS NULL THEN 1 ELSE 0 END,
           written.score - coalesce(before.score, 0)
    FROM written
    LEFT JOIN before ON before.source_id = written.source_id
                    AND before.restaurant_id = written.restaurant_id
                    AND before.subject_id IS NOT DISTINCT FROM written.subject_id
),
connected AS (
    INSERT INTO connection AS known (restaurant_id, subject_id, mention_count, mention_score, last_mentioned_at)
    SELECT restaurant_id, subject_id, sum(mentions), sum(score), max(mentioned_at)
    FROM difference
    WHERE subject_id IS NOT NULL
    GROUP BY restaurant_id, subject_id
    ORDER BY restaurant_id, subject_id
    ON CONFLICT (restaurant_id, subject_id) DO UPDATE
    SET mention_count = known.mention_count + excluded.mention_count,
        mention_score = known.mention_score + excluded.mention_score,
        last_mentioned_at = greatest(known.last_mentioned_at, excluded.last_mentioned_at)
),
sums AS (
    SELECT entity_id, sum(mentions) AS mentions, sum(score) AS score, max(mentioned_at) AS mentioned_at
    FROM (
        -- A source that names a restaurant with three foods is one mention of it: the one without a subject.
        SELECT restaurant_id AS entity_id, mentions, score, mentioned_at FROM difference WHERE subject_id IS NULL
        UNION ALL
        SELECT subject_id, mentions, score, mentioned_at FROM difference WHERE subject_id IS NOT NULL
    ) AS each
    GROUP BY entity_id
),
locked AS (
    -- In one order everywhere, so that two batches that share a food wait for each other and never deadlock.
    SELECT entity_id FROM entity WHERE entity_id IN (SELECT entity_id FROM sums) ORDER BY entity_id
    FOR NO KEY UPDATE
),
counted AS (
    UPDATE entity
    SET mention_count = entity.mention_count + sums.mentions,
        mention_score = entity.mention_score + sums.score,
        last_mentioned_at = greatest(entity.last_mentioned_at, sums.mentioned_at)
    FROM sums JOIN locked USING (entity_id)
    WHERE entity.entity_id = sums.entity_id
)
SELECT coalesce(sum(mentions) FILTER (WHERE mentions > 0), 0)::bigint AS added,
       coalesce(-sum(mentions) FILTER (WHERE mentions < 0), 0)::bigint AS removed
FROM difference;
