-- Every place the providers were seen to have: one step of the index per place, not one per slot.
WITH RECURSIVE known AS (
    SELECT provider, (SELECT min(slot.group_key) FROM slot WHERE slot.provider = asked.provider) AS group_key
    FROM unnest(%(providers)s::text[]) AS asked (provider)
    UNION ALL
    SELECT known.provider,
           (SELECT min(slot.group_key) FROM slot
            WHERE slot.provider = known.provider AND slot.group_key > known.group_key)
    FROM known
    WHERE known.group_key IS NOT NULL
)
SELECT known.provider, known.group_key, latest.title, latest.watch_key
FROM known
CROSS JOIN LATERAL (
    SELECT slot.payload ->> 'title' AS title, slot.watch_key
    FROM slot
    WHERE slot.provider = known.provider AND slot.group_key = known.group_key
    ORDER BY slot.starts_at DESC
    LIMIT 1
) AS latest;
