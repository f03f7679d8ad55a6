SELECT provider, profile, paused_until, successes, reason, changed_at
FROM provider_pace
ORDER BY provider;
