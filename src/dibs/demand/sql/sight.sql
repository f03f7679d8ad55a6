-- Records every wanted thing and reads how it stands, in one statement. A repeat adds to the count and the time it
-- was seen; what was queued, ran, or rests is not touched.
INSERT INTO collection_request AS known (term, term_key, entity_type, reason, location_key, run_location_key,
                                         first_seen_at, last_seen_at, refused, bias_lat, bias_lng, bias_radius_m,
                                         seen_on, seen_counts)
SELECT term, term_key, entity_type, reason, location_key, %(place)s::text, %(now)s::timestamptz, %(now)s,
       %(refused)s::text, %(bias_lat)s::float8, %(bias_lng)s::float8, %(bias_radius_m)s::float8,
       (%(now)s AT TIME ZONE 'UTC')::date, ARRAY[1]
FROM jsonb_to_recordset(%(wanted)s) AS sighted (term text, term_key text, entity_type text, reason text,
                                                location_key text)
-- In one order everywhere, so that two searches never wait for each other in a circle.
ORDER BY term_key, entity_type, reason, location_key
ON CONFLICT ON CONSTRAINT collection_request_once DO UPDATE
SET occurrence_count = known.occurrence_count + 1,
    last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
    refused = excluded.refused,
    seen_on = greatest(known.seen_on, excluded.seen_on),
    seen_counts = count_sighting(known.seen_counts, known.seen_on, excluded.seen_on),
    -- A request that is only recorded follows the newest sighting; one that is due somewhere stays there.
    run_location_key = CASE WHEN known.status = 'pending' AND known.due_at IS NULL
                            THEN coalesce(excluded.run_location_key, known.run_location_key)
                            ELSE known.run_location_key END
RETURNING known.request_id,
          known.status IN ('queued', 'processing')
          OR (SELECT target.active_request_id FROM collection_target AS target
              WHERE target.term_key = known.term_key AND target.entity_type = known.entity_type
                AND target.location_key = %(place)s) IS NOT NULL AS running,
          (SELECT target.cooldown_until FROM collection_target AS target
           WHERE target.term_key = known.term_key AND target.entity_type = known.entity_type
             AND target.location_key = %(place)s) AS cooldown_until,
          known.term_key, known.entity_type;
