-- The dates of a product that are not over, with what is free on them now.
SELECT truth.date,
       start_of_date(truth.date, product.timezone) AS starts_at,
       start_of_date(truth.date + 1, product.timezone) AS ends_at,
       truth.capacity,
       truth.available AS free
FROM product
JOIN product_date_truth AS truth ON truth.product_no = product.product_no
WHERE product.product_no = %(product_no)s
  AND truth.date BETWEEN greatest(%(first)s::date, product.range_start) AND least(%(last)s::date, product.range_end)
  AND start_of_date(truth.date + 1, product.timezone) > %(now)s
ORDER BY truth.date;
