SELECT finished_at, pending, skipped, leased_by AS locked_by FROM fanout WHERE open_event_id = %(open_event_id)s;
