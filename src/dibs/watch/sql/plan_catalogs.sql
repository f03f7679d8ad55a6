-- Every term and campus that is watched has a catalog to be read.
INSERT INTO catalog_load (provider, term_id, campus_code, due_at)
SELECT DISTINCT provider, query ->> 'term', query ->> 'campus', %(at)s::timestamptz
FROM watch
WHERE provider = ANY (%(providers)s)
ON CONFLICT DO NOTHING;
