-- What was looked for often enough is looked at by the rule, unless that is settled or planned already.
INSERT INTO wanted AS known (request_id, due_at)
SELECT request.request_id, %(now)s::timestamptz
FROM collection_request AS request
LEFT JOIN wanted USING (request_id)
WHERE request.last_seen_at > %(since)s::timestamptz
  AND request.entity_type = 'restaurant'
  AND request.occurrence_count >= %(occurrences)s
  AND sightings_within(request.seen_counts, request.seen_on, %(today)s::date, %(window_days)s) >= %(occurrences)s
  AND (wanted.request_id IS NULL OR (wanted.status = 'open' AND wanted.due_at IS NULL))
ORDER BY request.request_id
ON CONFLICT (request_id) DO UPDATE SET due_at = excluded.due_at
WHERE known.status = 'open' AND known.due_at IS NULL;
