-- Takes the lease only where it is free: whoever works on it now finds the change when they settle.
UPDATE wanted_ask
SET withdrawn_at = %(now)s,
    changes = changes + 1,
    due_at = %(now)s,
    lease_token = CASE WHEN coalesce(lease_until, '-infinity') <= coalesce(%(database_now)s::timestamptz, clock_timestamp())
                       THEN %(token)s::uuid ELSE lease_token END,
    lease_until = CASE WHEN coalesce(lease_until, '-infinity') <= coalesce(%(database_now)s::timestamptz, clock_timestamp())
                       THEN coalesce(%(database_now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(lease_s)s)
                       ELSE lease_until END
WHERE ask_id = %(ask_id)s AND withdrawn_at IS NULL
RETURNING lease_token = %(token)s::uuid AS held;
