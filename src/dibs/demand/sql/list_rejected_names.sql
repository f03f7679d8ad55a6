-- Names that looked like restaurants here and are none; nobody needs to guess them again.
SELECT name
FROM entity
WHERE type = 'restaurant' AND status = 'rejected' AND location_key = %(location_key)s;
