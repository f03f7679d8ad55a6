-- A product as somebody sees it who wants to wait for some of its dates.
SELECT product.product_no,
       product.product_key,
       product.name,
       product.range_start,
       product.range_end,
       product.floor_restaurant,
       start_of_date(%(earliest_date)s, product.timezone) AS earliest,
       start_of_date(%(latest_date)s, product.timezone) AS latest,
       start_of_date(%(latest_date)s::date + 1, product.timezone) AS until,
       (SELECT max(capacity)
        FROM product_date
        WHERE product_date.product_no = product.product_no
          AND date BETWEEN greatest(%(earliest_date)s::date, product.range_start)
                       AND least(%(latest_date)s::date, product.range_end)) AS most
FROM product
WHERE product.product_key = %(product_key)s;
