-- A schedule that was taken out of the configuration runs on while a product hangs on it.
DELETE FROM cadence
WHERE cadence_id <> ALL (%(cadence_ids)s::text[])
  AND NOT EXISTS (SELECT FROM product WHERE product.cadence_id = cadence.cadence_id);
