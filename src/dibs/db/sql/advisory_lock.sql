SELECT pg_advisory_xact_lock(%(keyspace)s, hashtext(%(key)s));
