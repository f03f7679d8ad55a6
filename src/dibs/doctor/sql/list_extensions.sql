SELECT name, installed_version IS NOT NULL AS installed
FROM pg_available_extensions
WHERE name = ANY (%(names)s::text[]);
