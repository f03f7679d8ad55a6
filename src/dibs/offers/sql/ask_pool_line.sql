SELECT ask_pool_line(%(product_no)s, NULL, NULL);
