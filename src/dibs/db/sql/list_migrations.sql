SELECT number, name, applied_at FROM schema_migration ORDER BY number;
