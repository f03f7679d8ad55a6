-- A slot that closed is no longer what any other watch believes; such a watch must read its next answer again.
WITH forgotten AS (
    DELETE FROM watch_slot
    WHERE slot_id = ANY (%(slot_ids)s) AND watch_key <> %(watch_key)s
    RETURNING watch_key
)
UPDATE watch
SET source_hash = NULL, etag = NULL, last_modified = NULL
WHERE watch_key IN (SELECT watch_key FROM forgotten);
