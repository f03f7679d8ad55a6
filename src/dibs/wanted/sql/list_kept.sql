-- The places that are to stay watched.
SELECT DISTINCT provider, group_key, name, topic
FROM wanted
WHERE status = 'watched' AND provider = ANY (%(providers)s::text[])
ORDER BY provider, group_key;
