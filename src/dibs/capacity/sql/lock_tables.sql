-- Stronger than the key lock of a new claim: until the floor is written nobody can claim one of these tables.
SELECT table_id, number FROM table_inventory
WHERE restaurant_id = %(restaurant_id)s AND removed_at IS NULL AND NOT number = ANY (%(numbers)s::text[])
ORDER BY table_id
FOR UPDATE;
