SELECT cadence.cadence_id, cadence.interval_s, cadence.due_at, cadence.last_tick_at, cadence.last_seconds,
       cadence.last_checked, cadence.last_estimated, cadence.last_changed, cadence.last_skipped,
       (SELECT count(*) FROM product WHERE product.cadence_id = cadence.cadence_id) AS products,
       (SELECT count(*) FROM availability_signal AS signal
        WHERE signal.cadence_id = cadence.cadence_id AND signal.dirty AND signal.expiry > %(now)s) AS dirty
FROM cadence
ORDER BY cadence.interval_s, cadence.cadence_id;
