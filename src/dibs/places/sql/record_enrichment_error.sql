-- A place that was found stays found; only when it is tried again changes.
UPDATE entity_enrichment
SET status = CASE WHEN place_read_at IS NULL THEN 'error' ELSE status END,
    error = %(error)s,
    attempts = attempts + 1
WHERE entity_id = %(entity_id)s;
