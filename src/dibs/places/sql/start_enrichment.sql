-- What is to be looked up, with everything the look-up needs to know.
SELECT entity.entity_id, entity.name, entity.status, entity.location_key, entity.google_place_id,
       community.lat AS center_lat, community.lng AS center_lng,
       enrichment.bias_lat, enrichment.bias_lng, enrichment.bias_radius_m, enrichment.attempts
FROM entity_enrichment AS enrichment
JOIN entity USING (entity_id)
JOIN community ON community.location_key = entity.location_key
WHERE enrichment.entity_id = ANY (%(entity_ids)s::bigint[])
  AND enrichment.lease_token = %(token)s;
