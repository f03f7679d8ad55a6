SELECT look_complete, look_groups, counts, suspect_since, suspect_samples, suspect_count, nameless, nameless_since
FROM watch_state
WHERE watch_key = %(watch_key)s;
