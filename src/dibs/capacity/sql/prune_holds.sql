DELETE FROM table_holds WHERE hold_id IN (
    SELECT hold_id FROM table_holds
    WHERE ended_at < %(before)s AND due_at IS NULL
    ORDER BY ended_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED);
