SELECT status FROM offer WHERE offer_id = %(offer_id)s FOR UPDATE;
