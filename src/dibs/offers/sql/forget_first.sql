UPDATE line_place
SET passed = 0, first_since = NULL
WHERE place_id = ANY (%(place_ids)s::bigint[]);
