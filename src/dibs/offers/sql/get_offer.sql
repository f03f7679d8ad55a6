SELECT * FROM offer_with_place WHERE offer_id = %(offer_id)s;
