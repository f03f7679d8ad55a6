UPDATE community_post
SET processed_at = %(now)s, processed_by = %(extractor)s, comments_loaded_at = %(now)s
WHERE post_id = ANY (%(post_ids)s::text[]);
