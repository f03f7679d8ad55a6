SELECT place.number, claim.booking_id, claim.hold_id
FROM allocations AS claim
JOIN table_inventory AS place ON place.table_id = claim.table_id
LEFT JOIN table_holds AS hold ON hold.hold_id = claim.hold_id
WHERE claim.table_id = ANY (%(table_ids)s::uuid[])
  AND upper(claim.blocked) > coalesce(%(now)s, clock_timestamp())
  AND (claim.hold_id IS NULL OR hold.expires_at > coalesce(%(now)s, clock_timestamp()))
ORDER BY place.number, claim.allocation_id;
