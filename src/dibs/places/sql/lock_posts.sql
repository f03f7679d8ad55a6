-- Whoever reads a post again waits for whoever is reading it: the counters follow by differences.
SELECT post_id FROM community_post WHERE post_id = ANY (%(post_ids)s::text[]) ORDER BY post_id FOR NO KEY UPDATE;
