SELECT assign_tables_answer(
    %(booking_id)s, %(table_ids)s::uuid[], %(idempotency_key)s::text, %(require_adjacency)s, %(now)s::timestamptz);
