-- Those who wait for what can no longer be had leave; what was offered stays theirs to claim.
UPDATE line_place
SET status = 'left', reason = %(reason)s, ended_at = %(now)s, due_at = NULL
WHERE line_key = %(line_key)s AND status = 'waiting';
