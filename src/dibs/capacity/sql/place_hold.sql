SELECT hold_id, set_no, zone_id, expires_at
FROM place_hold(
    p_table_ids => %(table_ids)s::uuid[],
    p_set_sizes => %(set_sizes)s::integer[],
    p_party_size => %(party_size)s::integer,
    p_start_at => %(start_at)s,
    p_end_at => %(end_at)s,
    p_blocked => tstzrange(%(blocked_start_at)s, %(blocked_end_at)s),
    p_service_date => %(service_date)s,
    p_ttl_s => %(ttl_s)s::integer,
    p_held_by => %(held_by)s,
    p_booking_id => %(booking_id)s::uuid,
    p_require_adjacency => %(require_adjacency)s,
    p_max_per_token => %(max_per_token)s::integer,
    p_max_per_booking => %(max_per_booking)s::integer,
    p_now => %(now)s::timestamptz);
