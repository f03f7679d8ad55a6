-- With a lease when it can be settled at once: whoever made it does that, and a loop only if they die over it.
INSERT INTO wanted_ask (request_id, channel, address, address_key, locale, preferences, token_hash,
                        subscription_hash, webhook_secret,
                        asked_at, due_at, lease_token, lease_until, leased_by)
SELECT %(request_id)s, %(channel)s, %(address)s, %(address_key)s, %(locale)s, %(preferences)s, %(token_hash)s,
       %(token_hash)s, %(webhook_secret)s, %(now)s, CASE WHEN %(token)s::uuid IS NOT NULL THEN %(now)s::timestamptz END, %(token)s,
       CASE WHEN %(token)s::uuid IS NOT NULL
            THEN coalesce(%(database_now)s::timestamptz, clock_timestamp()) + make_interval(secs => %(lease_s)s) END,
       CASE WHEN %(token)s::uuid IS NOT NULL THEN %(worker)s::text END
RETURNING ask_id;
