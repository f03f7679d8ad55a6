SELECT confirm_hold_answer(
    %(hold_id)s, %(booking_id)s::uuid, %(idempotency_key)s::text, %(guest)s::jsonb, %(now)s::timestamptz);
