INSERT INTO subscription_request (client, requested_at) VALUES (%(client)s, %(now)s);
