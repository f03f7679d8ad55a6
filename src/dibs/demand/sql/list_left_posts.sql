-- Posts that an earlier run found and did not get to; a run that is under way still may.
SELECT post_id, location_key, title, body, permalink, score, comment_count, posted_at
FROM community_post
WHERE processed_at IS NULL
  AND location_key = %(location_key)s
  AND collected_at < %(before)s
ORDER BY collected_at
LIMIT %(limit)s;
