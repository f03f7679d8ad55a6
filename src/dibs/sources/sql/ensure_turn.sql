INSERT INTO outside_turn (service) VALUES (%(service)s)
ON CONFLICT DO NOTHING;
