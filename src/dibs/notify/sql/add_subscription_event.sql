INSERT INTO subscription_event (subscription_id, kind, at, detail)
VALUES (%(subscription_id)s, %(kind)s, %(now)s, %(detail)s);
