INSERT INTO product AS known
    (collection_id, activity_type, activity_id, product_id, name, timezone, capacity, range_start, range_end,
     floor_restaurant, floor_measure, pattern, cadence_id, tiers_down, cuts_down, created_at, updated_at)
VALUES
    (%(collection_id)s, %(activity_type)s, %(activity_id)s, %(product_id)s, %(name)s, %(timezone)s, %(capacity)s,
     %(range_start)s, %(range_end)s, %(floor_restaurant)s, %(floor_measure)s, %(pattern)s, %(cadence_id)s,
     %(tiers_down)s, %(cuts_down)s, %(now)s, %(now)s)
ON CONFLICT (product_key) DO UPDATE
SET name = excluded.name,
    timezone = excluded.timezone,
    capacity = excluded.capacity,
    range_start = excluded.range_start,
    range_end = excluded.range_end,
    floor_restaurant = excluded.floor_restaurant,
    floor_measure = excluded.floor_measure,
    pattern = excluded.pattern,
    cadence_id = excluded.cadence_id,
    tiers_down = excluded.tiers_down,
    cuts_down = excluded.cuts_down,
    updated_at = excluded.updated_at
RETURNING product_no, collection_id, activity_type, activity_id, product_id, product_key, name, timezone, capacity,
          range_start, range_end, floor_restaurant, floor_measure, pattern, cadence_id, created_at, updated_at,
          created_at = updated_at AND xmax = 0 AS created;
