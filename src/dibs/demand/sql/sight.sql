-- Records every wanted thing and reads how it stands, in one statement. A repeat adds to the count and the time it
-- was seen; what was queued, ran, or rests is not touched.
WITH sighted AS (
    SELECT *
    FROM unnest(%(terms)s::text[], %(term_keys)s::text[], %(entity_types)s::text[], %(reasons)s::text[],
                %(location_keys)s::text[])
    WITH ORDINALITY AS sighted (term, term_key, entity_type, reason, location_key, rank)
),
recorded AS (
    INSERT INTO collection_request AS known (term, term_key, entity_type, reason, location_key, run_location_key,
                                             first_seen_at, last_seen_at, refused, bias_lat, bias_lng, bias_radius_m)
    SELECT term, term_key, entity_type, reason, location_key, %(place)s::text, %(now)s::timestamptz, %(now)s,
           %(refused)s::text, %(bias_lat)s::float8, %(bias_lng)s::float8, %(bias_radius_m)s::float8
    FROM sighted
    -- In one order everywhere, so that two searches never wait for each other in a circle.
    ORDER BY term_key, entity_type, reason, location_key
    ON CONFLICT ON CONSTRAINT collection_request_once DO UPDATE
    SET occurrence_count = known.occurrence_count + 1,
        last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
        refused = excluded.refused,
        -- A request that is only recorded follows the newest sighting; one that is due somewhere stays there.
        run_location_key = CASE WHEN known.status = 'pending' AND known.due_at IS NULL
                                THEN coalesce(excluded.run_location_key, known.run_location_key)
                                ELSE known.run_location_key END
    RETURNING request_id, term_key, entity_type, reason, location_key, status
)
SELECT recorded.request_id,
       recorded.status IN ('queued', 'processing') OR target.active_request_id IS NOT NULL AS running,
       target.cooldown_until
FROM sighted
JOIN recorded ON recorded.term_key = sighted.term_key
             AND recorded.entity_type = sighted.entity_type
             AND recorded.reason = sighted.reason
LEFT JOIN collection_target AS target ON target.term_key = sighted.term_key
                                     AND target.entity_type = sighted.entity_type
                                     AND target.location_key = %(place)s
ORDER BY sighted.rank;
