"""Realistic data, made by the database itself because a million rows over the wire take minutes."""

from __future__ import annotations

# One opening or close per second up to now, over {slots} slots that take turns; the newest turn opened all of them.
_SLOT_ID = "left(encode(sha256(convert_to('city|' || {n} % 900 || '|' || {n}, 'UTF8')), 'hex'), 32)"
_PAYLOAD = """
jsonb_build_object('title', 'Table for 2 at Osteria ' || {n} % 900, 'starts_at', '2026-12-24T19:30:00Z',
    'url', 'https://tables.example/venues/' || {n} % 900 || '?date=2026-12-24&seats=2', 'party_size', 2,
    'venue', jsonb_build_object('id', {n} % 900, 'name', 'Osteria ' || {n} % 900, 'neighborhood', 'Harbour'))
"""
_SLOTS = """
INSERT INTO slot (slot_id, provider, slot_key, watch_key, group_key, starts_at, open, opened_at, last_seen_at,
                  generation, payload)
SELECT {slot_id}, 'city', n % 900 || '|' || n, 'city:' || n % 60, (n % 900)::text, timestamptz '2026-12-24 19:30Z',
       true, now(), now(), {events} / {slots}, {payload}
FROM generate_series(0, {slots} - 1) AS n
"""
_EVENTS = """
INSERT INTO open_event (provider, watch_key, slot_id, slot_key, group_key, subject, status_before, status_after,
                        seat_delta, event_at, detected_by, dedupe_key, trace_id, payload, topics, generation, reason)
SELECT 'city', 'city:' || n % 60, {slot_id}, n % 900 || '|' || n, (n % 900)::text,
       jsonb_build_object('venue_id', n % 900, 'starts_at', '2026-12-24 19:30:00'),
       CASE WHEN opens THEN 'Closed' ELSE 'Open' END, CASE WHEN opens THEN 'Open' ELSE 'Closed' END,
       CASE WHEN opens THEN 1 ELSE -1 END, now() - ({events} - i) * interval '1 s', 'poll', 'city|' || i,
       md5(i::text), {payload},
       ARRAY['slot:city:' || n % 900 || '|' || n, 'group:city:' || n % 900, 'watch:city:' || n % 60],
       i / {slots}, CASE WHEN opens THEN 'appeared' ELSE 'missed' END
FROM (SELECT i, i % {slots} AS n, ({events} - 1 - i) / {slots} % 2 = 0 AS opens
      FROM generate_series(0, {events} - 1) AS i) AS made
ORDER BY i
"""
_STAND_FOR = """
UPDATE slot SET last_event_id = newest.id, last_event_at = newest.at
FROM (SELECT slot_id, max(open_event_id) AS id, max(event_at) AS at FROM open_event GROUP BY slot_id) AS newest
WHERE slot.slot_id = newest.slot_id
"""


def openings(events: int, slots: int) -> list[str]:
    """Statements that store `events` events of `slots` slots, the last of them open since the last {slots} seconds."""
    values = {
        "events": events,
        "slots": slots,
        "slot_id": _SLOT_ID.format(n="n"),
        "payload": _PAYLOAD.format(n="n"),
    }
    return [_SLOTS.format(**values), _EVENTS.format(**values), _STAND_FOR]
