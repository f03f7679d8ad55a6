-- Own inventory: a product answers to its own name and to that of the restaurant whose floor it stands on.
SELECT product.product_key AS group_key, product.name AS title, restaurants.name AS restaurant
FROM product
LEFT JOIN restaurants ON restaurants.slug = product.floor_restaurant
WHERE product.range_end >= %(today)s::date
ORDER BY product.product_key;
