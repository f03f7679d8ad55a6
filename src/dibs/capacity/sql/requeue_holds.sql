-- Extended between the claim and now: due again when they expire.
UPDATE table_holds SET due_at = expires_at
WHERE hold_id = ANY (%(hold_ids)s::uuid[]) AND status = 'held';
