-- Everybody who asked is looked at again: what is watched, and so where they belong, has changed.
UPDATE wanted_ask
SET due_at = %(now)s, changes = changes + 1
WHERE request_id = %(request_id)s AND withdrawn_at IS NULL;
