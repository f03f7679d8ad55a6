INSERT INTO schema_migration (number, name) VALUES (%(number)s, %(name)s);
