-- Only what is new or different is written.
INSERT INTO catalog_item AS known (provider, term_id, campus_code, index_number, course_string, title, section,
                                   meetings, details, seen_at)
SELECT %(provider)s, %(term_id)s, %(campus_code)s, index_number, course_string, title, section, meetings, details,
       %(at)s
FROM jsonb_to_recordset(%(items)s) AS seen (
    index_number text, course_string text, title text, section text, meetings text, details jsonb
)
ON CONFLICT (provider, term_id, campus_code, index_number) DO UPDATE
SET course_string = excluded.course_string,
    title = excluded.title,
    section = excluded.section,
    meetings = excluded.meetings,
    details = excluded.details,
    seen_at = excluded.seen_at
WHERE (known.course_string, known.title, known.section, known.meetings, known.details)
      IS DISTINCT FROM
      (excluded.course_string, excluded.title, excluded.section, excluded.meetings, excluded.details);
