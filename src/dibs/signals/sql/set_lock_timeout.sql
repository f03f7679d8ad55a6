SELECT set_config('lock_timeout', %(milliseconds)s::text, true);
