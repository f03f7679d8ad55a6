UPDATE cadence
SET last_tick_at = %(now)s,
    last_seconds = %(seconds)s,
    last_checked = %(checked)s,
    last_estimated = %(estimated)s,
    last_changed = %(changed)s,
    last_skipped = %(skipped)s
WHERE cadence_id = %(cadence_id)s;
