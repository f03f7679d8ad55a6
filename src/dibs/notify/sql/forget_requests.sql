DELETE FROM subscription_request WHERE requested_at < %(before)s;
