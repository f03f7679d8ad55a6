UPDATE outside_turn
SET next_at = %(next_at)s,
    next_search_at = %(next_search_at)s,
    full_at = %(full_at)s,
    quota_day = %(quota_day)s,
    quota_used = %(quota_used)s
WHERE service = %(service)s;
