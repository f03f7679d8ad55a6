SELECT sightings_within(seen_counts, seen_on, %(today)s::date, %(window_days)s) AS sightings
FROM collection_request
WHERE request_id = %(request_id)s;
