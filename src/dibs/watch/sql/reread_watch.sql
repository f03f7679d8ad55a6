-- What the watch sees was changed from outside: its next answer is read whatever its hash.
UPDATE watch
SET source_hash = NULL,
    etag = NULL,
    last_modified = NULL,
    open_count = (SELECT count(*) FROM watch_slot AS seen
                  WHERE seen.watch_key = watch.watch_key AND NOT seen.quiet)
WHERE watch_key = %(watch_key)s;
