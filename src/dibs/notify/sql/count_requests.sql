SELECT count(*), min(requested_at) AS oldest
FROM subscription_request
WHERE client = %(client)s AND requested_at > %(since)s;
