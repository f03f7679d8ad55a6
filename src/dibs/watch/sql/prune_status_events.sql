DELETE FROM section_status_event WHERE recorded_at < %(before)s;
