INSERT INTO watch_state (watch_key, look_complete, look_groups, counts, suspect_since, suspect_samples,
                         suspect_count, nameless, nameless_since)
VALUES (%(watch_key)s, %(look_complete)s, %(look_groups)s, %(counts)s, %(suspect_since)s, %(suspect_samples)s,
        %(suspect_count)s, %(nameless)s, %(nameless_since)s)
ON CONFLICT (watch_key) DO UPDATE
SET look_complete = excluded.look_complete,
    look_groups = excluded.look_groups,
    counts = excluded.counts,
    suspect_since = excluded.suspect_since,
    suspect_samples = excluded.suspect_samples,
    suspect_count = excluded.suspect_count,
    nameless = excluded.nameless,
    nameless_since = excluded.nameless_since;
