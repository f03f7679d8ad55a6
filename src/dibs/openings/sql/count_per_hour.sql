SELECT date_trunc('hour', event_at) AS hour, provider, count(*) AS openings
FROM open_event
WHERE status_after = 'Open' AND NOT private AND event_at >= %(since)s
GROUP BY date_trunc('hour', event_at), provider
ORDER BY hour, provider;
