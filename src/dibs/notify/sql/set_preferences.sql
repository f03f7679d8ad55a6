UPDATE subscription
SET locale = %(locale)s,
    window_start = %(window_start)s,
    window_end = %(window_end)s,
    window_timezone = %(window_timezone)s,
    max_notifications = %(max_notifications)s,
    snooze_until = %(snooze_until)s,
    updated_at = %(now)s
WHERE subscription_id = %(subscription_id)s;
