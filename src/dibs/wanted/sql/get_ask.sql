-- An ask, and where it belongs as things stand.
SELECT ask.ask_id, ask.request_id, ask.channel, ask.address, ask.locale, ask.preferences, ask.token_hash,
       ask.subscription_hash, ask.webhook_secret, ask.asked_at, ask.withdrawn_at, ask.topic, ask.subscription_id, ask.problem, ask.changes,
       CASE WHEN wanted.status = 'watched' AND ask.withdrawn_at IS NULL THEN wanted.topic END AS belongs_to
FROM wanted_ask AS ask
JOIN wanted USING (request_id)
WHERE ask.ask_id = %(ask_id)s;
