SELECT expire_holds(%(hold_ids)s::uuid[], coalesce(%(now)s::timestamptz, clock_timestamp()));
