INSERT INTO wanted AS known (request_id, verdict, candidates)
VALUES (%(request_id)s, %(verdict)s, %(candidates)s)
ON CONFLICT (request_id) DO UPDATE SET verdict = excluded.verdict, candidates = excluded.candidates
WHERE known.status <> 'watched';
