-- The first who links it, wins. The rule does not take up again what a person stopped.
INSERT INTO wanted AS known (request_id, status, verdict, provider, group_key, name, topic, watched_by, watched_at)
VALUES (%(request_id)s, 'watched', 'matched', %(provider)s, %(group_key)s, %(name)s, %(topic)s, %(watched_by)s, %(now)s)
ON CONFLICT (request_id) DO UPDATE
SET status = 'watched',
    verdict = excluded.verdict,
    candidates = '[]',
    provider = excluded.provider,
    group_key = excluded.group_key,
    name = excluded.name,
    topic = excluded.topic,
    watched_by = excluded.watched_by,
    watched_at = excluded.watched_at,
    stopped_at = NULL,
    due_at = NULL,
    lease_token = NULL,
    lease_until = NULL,
    leased_by = NULL
WHERE known.status = 'open' OR (known.status = 'stopped' AND excluded.watched_by = 'person');
