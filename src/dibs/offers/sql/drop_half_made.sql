-- A process died between taking this place and subscribing for it: it is never served, and would be in the way.
DELETE FROM line_place
WHERE line_key = %(line_key)s
  AND channel = %(channel)s
  AND address_key = %(address_key)s
  AND status = 'waiting'
  AND subscription_id IS NULL
  AND joined_at < %(before)s;
