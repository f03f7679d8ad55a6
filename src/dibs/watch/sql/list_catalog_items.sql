SELECT item_id, index_number, course_string, title, section, meetings, details
FROM catalog_item
WHERE provider = %(provider)s
  AND term_id = %(term_id)s
  AND campus_code = %(campus_code)s
  AND index_number = ANY (%(indexes)s);
