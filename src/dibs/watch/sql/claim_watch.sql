-- One watch by name, due or not; nothing while another worker holds it.
UPDATE watch
SET lease_token = %(token)s,
    lease_until = coalesce(%(now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(lease_s)s),
    leased_by = %(worker)s
WHERE watch_key = %(watch_key)s
  AND (lease_until IS NULL OR lease_until <= coalesce(%(now)s::timestamptz, clock_timestamp()))
RETURNING watch_key;
