UPDATE product_date AS inventory
SET capacity = coalesce(%(capacity)s, product.capacity),
    own_capacity = %(capacity)s::integer IS NOT NULL
FROM product
WHERE product.product_no = inventory.product_no
  AND product.product_key = %(product_key)s
  AND inventory.date = %(date)s
RETURNING inventory.capacity, inventory.allocated, product.floor_restaurant IS NOT NULL AS on_floor;
