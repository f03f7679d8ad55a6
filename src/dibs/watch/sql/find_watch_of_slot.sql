-- The watch a slot belongs to: the one its bucket names, the one that saw it last, or one about its day.
SELECT watch.watch_key, watch.bucket_id, watch.policy, watch.last_good_at,
       EXISTS (SELECT FROM watch_slot AS seen
               WHERE seen.watch_key = watch.watch_key AND seen.slot_id = %(slot_id)s) AS tracked
FROM watch
WHERE watch.provider = %(provider)s
  AND (watch.bucket_id = %(bucket_id)s
       OR watch.watch_key = (SELECT slot.watch_key FROM slot WHERE slot.slot_id = %(slot_id)s)
       OR watch.target_date = %(day)s::date
       OR (%(bucket_id)s::text IS NULL AND %(day)s::date IS NULL))
ORDER BY watch.bucket_id = %(bucket_id)s DESC NULLS LAST,
         watch.watch_key = (SELECT slot.watch_key FROM slot WHERE slot.slot_id = %(slot_id)s) DESC NULLS LAST,
         watch.watch_key
LIMIT 1;
