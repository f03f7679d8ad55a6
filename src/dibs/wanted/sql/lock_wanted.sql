-- Whoever asks and whoever watches meet here, so that neither misses the other.
SELECT status FROM wanted WHERE request_id = %(request_id)s FOR NO KEY UPDATE;
