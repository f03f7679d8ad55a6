-- Open slots that no other watch sees: without this one nobody would know of them.
SELECT own.slot_id
FROM watch_slot AS own
JOIN slot ON slot.slot_id = own.slot_id AND slot.open
WHERE own.watch_key = %(watch_key)s
  AND NOT EXISTS (SELECT FROM watch_slot AS other
                  WHERE other.slot_id = own.slot_id
                    AND other.watch_key <> own.watch_key
                    AND NOT other.quiet
                    AND NOT other.elsewhere)
ORDER BY own.slot_id;
