SELECT watch.watch_key, watch.provider, watch.bucket_id, watch.query, watch.policy, watch.cadence, watch.target_date,
       watch.rolling, watch.paused, watch.created_at, watch.due_at, watch.outcome, watch.reason, watch.open_count,
       watch.last_polled_at, watch.last_good_at, watch.last_changed_at, watch.consecutive_failures,
       watch.configuration_fault, coalesce(pace.profile = 'degraded', false) AS provider_degraded,
       state.suspect_since IS NOT NULL AS suspect
FROM watch
LEFT JOIN watch_state AS state ON state.watch_key = watch.watch_key
LEFT JOIN provider_pace AS pace ON pace.provider = watch.provider
WHERE watch.watch_key = %(watch_key)s;
