SELECT watch.watch_key, watch.provider, watch.bucket_id, watch.query, watch.policy, watch.cadence, watch.target_date,
       watch.open_count, watch.consecutive_failures, watch.configuration_fault, watch.heat, watch.quiet_polls, watch.beats,
       watch.source_hash, watch.etag, watch.last_modified, watch.looked_at, watch.outcome,
       watch.paused, coalesce(%(now)s::timestamptz, clock_timestamp()) AS at
FROM watch
WHERE watch.watch_key = ANY (%(watch_keys)s);
