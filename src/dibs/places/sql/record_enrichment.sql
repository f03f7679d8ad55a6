UPDATE entity_enrichment
SET status = %(status)s,
    reason = %(reason)s,
    error = NULL,
    attempts = 0,
    match_score = coalesce(%(match_score)s, match_score),
    address = %(address)s,
    place_types = %(place_types)s::text[],
    place_read_at = %(place_read_at)s
WHERE entity_id = %(entity_id)s;
