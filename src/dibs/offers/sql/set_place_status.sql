UPDATE line_place
SET status = %(status)s,
    reason = %(reason)s,
    ended_at = CASE WHEN %(status)s::text IN ('waiting', 'offered') THEN NULL ELSE %(now)s::timestamptz END,
    due_at = CASE WHEN %(status)s::text IN ('waiting', 'offered') THEN until END
WHERE place_id = %(place_id)s AND status = ANY (%(before)s::text[]);
