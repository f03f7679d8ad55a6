-- What changed while it was worked on makes it due again.
UPDATE wanted_ask
SET topic = %(topic)s,
    subscription_id = %(subscription_id)s,
    subscription_hash = %(subscription_hash)s,
    problem = %(problem)s,
    withdrawn_at = CASE WHEN %(withdrawn)s THEN coalesce(withdrawn_at, %(now)s) ELSE withdrawn_at END,
    due_at = CASE WHEN changes = %(changes)s THEN %(due_at)s::timestamptz ELSE %(now)s::timestamptz END,
    lease_token = NULL,
    lease_until = NULL,
    leased_by = NULL
WHERE ask_id = %(ask_id)s AND lease_token = %(token)s;
