-- FOR UPDATE, not weaker: what is counted afterwards has to wait for everything that is under way.
SELECT subscription_id FROM subscription WHERE subscription_id = %(subscription_id)s FOR UPDATE;
