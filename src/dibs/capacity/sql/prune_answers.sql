DELETE FROM booking_assignment_idempotency WHERE (scope_id, idempotency_key) IN (
    SELECT scope_id, idempotency_key FROM booking_assignment_idempotency
    WHERE created_at < %(before)s
    ORDER BY created_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED);
