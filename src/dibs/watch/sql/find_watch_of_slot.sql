-- The watch a slot belongs to: the one its bucket names, the one that saw it last, one about its day, or the only one.
SELECT watch.watch_key, watch.bucket_id, watch.policy, watch.last_good_at,
       coalesce((SELECT state.look_complete FROM watch_state AS state
                 WHERE state.watch_key = watch.watch_key), false) AS sees_all,
       EXISTS (SELECT FROM watch_slot AS seen
               WHERE seen.watch_key = watch.watch_key AND seen.slot_id = %(slot_id)s) AS tracked
FROM watch
WHERE watch.provider = %(provider)s
  AND (watch.bucket_id = %(bucket_id)s
       OR watch.watch_key = (SELECT slot.watch_key FROM slot WHERE slot.slot_id = %(slot_id)s)
       OR watch.target_date = %(day)s::date
       OR (%(bucket_id)s::text IS NULL AND watch.target_date IS NULL
           AND NOT EXISTS (SELECT FROM watch AS other
                           WHERE other.provider = watch.provider AND other.watch_key <> watch.watch_key)))
ORDER BY watch.bucket_id = %(bucket_id)s DESC NULLS LAST,
         watch.watch_key = (SELECT slot.watch_key FROM slot WHERE slot.slot_id = %(slot_id)s) DESC NULLS LAST,
         watch.watch_key
LIMIT 1;
