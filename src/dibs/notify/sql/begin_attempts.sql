UPDATE notification
SET attempt_started_at = coalesce(%(now)s::timestamptz, clock_timestamp())
WHERE notification_id = ANY (%(notification_ids)s::bigint[])
  AND lease_token = %(token)s;
