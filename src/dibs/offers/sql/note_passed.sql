UPDATE line_place
SET passed = passed + 1,
    first_since = CASE WHEN passed + 1 >= %(max_passed)s THEN coalesce(first_since, %(now)s) END
WHERE place_id = ANY (%(place_ids)s::bigint[]);
