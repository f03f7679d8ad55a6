INSERT INTO wanted (request_id) VALUES (%(request_id)s) ON CONFLICT (request_id) DO NOTHING;
