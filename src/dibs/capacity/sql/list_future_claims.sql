SELECT place.number, claim.booking_id, claim.hold_id
FROM allocations AS claim
JOIN table_inventory AS place ON place.table_id = claim.table_id
WHERE claim.table_id = ANY (%(table_ids)s::uuid[])
  AND upper(claim.blocked) > coalesce(%(now)s, clock_timestamp())
  AND (claim.lapses_at IS NULL OR claim.lapses_at > coalesce(%(now)s, clock_timestamp()))
ORDER BY place.number, claim.allocation_id;
