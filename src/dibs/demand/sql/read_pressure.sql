WITH active AS (
    SELECT status, batches_total - batches_done AS batches
    FROM collection_request
    WHERE status IN ('queued', 'processing')
),
recent AS (
    -- Only answers are measured: an error ends early and says nothing about how long a run takes.
    SELECT finished_at - started_at AS took
    FROM collection_run
    WHERE outcome IN ('success', 'no_results')
    ORDER BY finished_at DESC
    LIMIT 50
)
SELECT (SELECT count(*) FROM active WHERE status = 'queued') AS waiting,
       (SELECT count(*) FROM active WHERE status = 'processing') AS processing,
       (SELECT coalesce(sum(batches), 0) FROM active WHERE status = 'processing')::bigint AS batches,
       (SELECT extract(epoch FROM avg(took)) * 1000 FROM recent)::float8 AS mean_run_ms;
