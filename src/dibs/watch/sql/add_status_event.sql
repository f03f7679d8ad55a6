INSERT INTO section_status_event (provider, slot_key, status, observed_at, source, verdict, recorded_at)
VALUES (%(provider)s, %(slot_key)s, %(status)s, %(observed_at)s, %(source)s, %(verdict)s, %(recorded_at)s)
RETURNING status_event_id;
