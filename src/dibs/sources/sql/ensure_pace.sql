WITH known AS (
    INSERT INTO provider_pace (provider) VALUES (%(provider)s)
    ON CONFLICT (provider) DO UPDATE SET provider = excluded.provider
    RETURNING provider
)
INSERT INTO provider_lane (provider, lane)
SELECT known.provider, lane
FROM known, generate_series(0, %(workers)s - 1) AS lane
ON CONFLICT DO NOTHING;
