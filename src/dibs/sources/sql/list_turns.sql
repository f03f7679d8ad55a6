SELECT service, paused_until, pause_reason, quota_day, quota_used
FROM outside_turn
ORDER BY service;
