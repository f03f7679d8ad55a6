UPDATE zones SET removed_at = %(now)s
WHERE restaurant_id = %(restaurant_id)s AND removed_at IS NULL AND NOT name = ANY (%(names)s::text[]);
