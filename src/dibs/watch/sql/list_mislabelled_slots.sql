-- Open slots whose catalog entry says something else than they do, because it came or changed after they opened.
SELECT seen.slot_key
FROM watch_slot AS seen
JOIN slot ON slot.slot_id = seen.slot_id AND slot.open
JOIN catalog_item AS item
  ON item.provider = %(provider)s
 AND item.term_id = %(term_id)s
 AND item.campus_code = %(campus_code)s
 AND item.index_number = split_part(seen.slot_key, '|', 3)
WHERE seen.watch_key = %(watch_key)s
  AND (slot.group_key, slot.payload ->> 'title', slot.payload ->> 'meetings')
      IS DISTINCT FROM (item.course_string, item.title, item.meetings);
