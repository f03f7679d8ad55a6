INSERT INTO notification (kind, subscription_id, fanout_status, created_at, expires_at, due_at)
VALUES ('verification', %(subscription_id)s, 'pending', %(now)s,
        %(now)s + make_interval(secs => %(expire_after_s)s), %(now)s)
RETURNING pg_notify('dibs_notice', '');
