UPDATE offer
SET status = %(status)s,
    booking_id = %(booking_id)s,
    ended_at = %(now)s,
    due_at = NULL
WHERE offer_id = %(offer_id)s AND status = 'live';
