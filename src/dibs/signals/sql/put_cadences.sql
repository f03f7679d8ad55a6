-- The first tick comes one interval after the start; a schedule that is known already keeps its rhythm.
INSERT INTO cadence (cadence_id, interval_s, due_at)
SELECT wanted.cadence_id, wanted.interval_s, %(now)s + make_interval(secs => wanted.interval_s)
FROM unnest(%(cadence_ids)s::text[], %(intervals)s::double precision[]) AS wanted (cadence_id, interval_s)
ORDER BY wanted.cadence_id
ON CONFLICT (cadence_id) DO UPDATE
SET interval_s = excluded.interval_s,
    due_at = CASE
        WHEN cadence.due_at IS NULL OR cadence.interval_s <> excluded.interval_s THEN excluded.due_at
        ELSE cadence.due_at
    END;
