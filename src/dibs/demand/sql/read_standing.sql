-- How requests stand in this place; read again under the lock that lets one search queue at a time.
SELECT request.request_id,
       request.status IN ('queued', 'processing') OR target.active_request_id IS NOT NULL AS running,
       target.cooldown_until
FROM unnest(%(request_ids)s::bigint[]) WITH ORDINALITY AS asked (request_id, rank)
JOIN collection_request AS request USING (request_id)
LEFT JOIN collection_target AS target ON target.term_key = request.term_key
                                     AND target.entity_type = request.entity_type
                                     AND target.location_key = %(place)s
ORDER BY asked.rank;
