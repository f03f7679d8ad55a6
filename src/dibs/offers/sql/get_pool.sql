SELECT product_no, product_key, floor_restaurant FROM product WHERE product_no = %(product_no)s;
