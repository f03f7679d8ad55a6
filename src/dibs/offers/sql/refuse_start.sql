UPDATE line_place
SET refused = refused || %(start_at)s::timestamptz,
    lapses = lapses + %(lapsed)s::boolean::integer,
    status = 'waiting',
    due_at = until
WHERE place_id = %(place_id)s AND status = 'offered';
