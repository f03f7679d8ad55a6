-- The signals of some dates, as the hub is told about them.
SELECT product.product_key, product.collection_id, product.activity_type, product.activity_id, product.product_id,
       product.name, signal.cadence_id, signal.date, start_of_date(signal.date, product.timezone) AS starts_at,
       signal.global_id, signal.available AS before, signal.available, signal.capacity, signal.tier, signal.reason,
       signal.generation, signal.opened_at, signal.version
FROM availability_signal AS signal
JOIN product USING (product_no)
WHERE signal.product_no = %(product_no)s
  AND signal.date = ANY (%(dates)s::date[])
  AND signal.available > 0
  AND signal.expiry > %(now)s
ORDER BY signal.date;
