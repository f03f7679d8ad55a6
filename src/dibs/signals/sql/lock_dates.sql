-- Dates before signals: the order in which whoever allocates takes them.
SELECT inventory.date
FROM product_date AS inventory
JOIN product USING (product_no)
WHERE product.product_key = %(product_key)s
ORDER BY inventory.date
FOR NO KEY UPDATE OF inventory;
