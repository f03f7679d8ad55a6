SELECT wanted.request_id, request.term, request.location_key, request.occurrence_count,
       sightings_within(request.seen_counts, request.seen_on, %(today)s::date, %(window_days)s) AS occurrences_in_window,
       request.last_seen_at, wanted.status, wanted.verdict, wanted.candidates, wanted.provider, wanted.group_key,
       wanted.name, wanted.topic, wanted.watched_by, wanted.watched_at, wanted.stopped_at,
       asked.askers, asked.told
FROM wanted
JOIN collection_request AS request USING (request_id)
CROSS JOIN LATERAL (
    SELECT count(*) AS askers, count(subscription_id) AS told
    FROM wanted_ask
    WHERE wanted_ask.request_id = wanted.request_id AND withdrawn_at IS NULL
) AS asked
WHERE (%(request_ids)s::bigint[] IS NULL OR wanted.request_id = ANY (%(request_ids)s))
  AND (%(status)s::text IS NULL OR wanted.status = %(status)s)
  AND (%(before)s::bigint IS NULL OR wanted.request_id < %(before)s)
ORDER BY wanted.request_id DESC
LIMIT %(limit)s;
