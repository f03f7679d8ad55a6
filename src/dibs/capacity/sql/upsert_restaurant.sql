INSERT INTO restaurants (slug, name, timezone, policy, service_periods, created_at, updated_at)
VALUES (%(slug)s, %(name)s, %(timezone)s, %(policy)s, %(service_periods)s, %(now)s, %(now)s)
ON CONFLICT (slug) DO UPDATE
SET name = excluded.name,
    timezone = excluded.timezone,
    policy = excluded.policy,
    service_periods = excluded.service_periods,
    floor_version = restaurants.floor_version + 1,
    updated_at = excluded.updated_at
RETURNING restaurant_id;
