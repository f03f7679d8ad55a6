-- Whether what an offer keeps is still kept: whoever gives inventory back may have given this back too.
SELECT quantity
FROM allocation
WHERE product_no = %(product_no)s AND date = %(date)s AND reference = %(reference)s AND released_at IS NULL
FOR NO KEY UPDATE;
