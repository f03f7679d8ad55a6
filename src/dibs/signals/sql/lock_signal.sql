SELECT product_no
FROM availability_signal
WHERE product_no = %(product_no)s AND date = %(date)s AND dirty
FOR NO KEY UPDATE;
