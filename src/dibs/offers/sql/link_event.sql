UPDATE offer SET open_event_id = %(open_event_id)s WHERE offer_id = %(offer_id)s;
