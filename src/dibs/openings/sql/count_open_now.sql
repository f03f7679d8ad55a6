-- Only the partial indices of open slots are read.
SELECT provider, count(*) AS slots, count(DISTINCT group_key) AS groups
FROM slot
WHERE open
GROUP BY provider
ORDER BY provider;
