SELECT claim.table_id, place.number, lower(claim.blocked) AS start_at, upper(claim.blocked) AS end_at,
       claim.merge_group_id
FROM allocations AS claim
JOIN table_inventory AS place USING (table_id)
WHERE claim.booking_id = %(booking_id)s
ORDER BY claim.table_id;
