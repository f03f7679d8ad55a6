SELECT current_setting('server_version') AS version,
       pg_database_size(current_database()) AS bytes,
       (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::int AS connections,
       current_setting('max_connections')::int AS most_connections,
       (SELECT max(clock_timestamp() - xact_start) FROM pg_stat_activity WHERE datname = current_database()
        AND state <> 'idle' AND pid <> pg_backend_pid()) AS longest_transaction,
       clock_timestamp() AS at;
