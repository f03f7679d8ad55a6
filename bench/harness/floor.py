"""A restaurant of 200 tables whose days are 70 % full."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

SLUG = "bench"
TABLES = 200
ZONES = 4
SIZES = (2, 2, 4, 2, 4, 2, 6, 4, 2, 8)
# Turns of 80 minutes from five to half past ten, so that every table has four of them.
TURNS = 4
FULL = 0.7
FIRST_DAY = datetime(2026, 12, 1, tzinfo=UTC)


def document() -> dict[str, Any]:
    """Four zones of five by ten tables; each stands next to those beside and behind it."""
    zones: list[dict[str, Any]] = []
    pairs: list[list[str]] = []
    for zone in range(ZONES):
        numbers = [[f"Z{zone}R{row}C{column}" for column in range(10)] for row in range(5)]
        tables = [
            {"number": numbers[row][column], "capacity": SIZES[column], "mobility": "movable", "x": column, "y": row}
            for row in range(5)
            for column in range(10)
        ]
        zones.append({"name": f"zone {zone}", "tables": tables})
        pairs += [[numbers[row][column], numbers[row][column + 1]] for row in range(5) for column in range(9)]
        pairs += [[numbers[row][column], numbers[row + 1][column]] for row in range(4) for column in range(10)]
    periods = [{"name": "dinner", "start": "17:00", "end": "22:00"}]
    return {"name": "Bench", "timezone": "UTC", "service_periods": periods, "zones": zones, "adjacencies": pairs}


def bookings(days: int) -> list[str]:
    """Statements that book 70 % of all turns of all tables on so many days, the same ones every time."""
    wanted = f"""
        FROM table_inventory AS place
        CROSS JOIN generate_series(0, {days - 1}) AS day
        CROSS JOIN generate_series(0, {TURNS - 1}) AS turn
        CROSS JOIN LATERAL (
            SELECT timestamptz '{FIRST_DAY:%Y-%m-%d} 17:00Z' + day * interval '1 day' + turn * interval '80 min' AS at,
                   md5(place.table_id::text || day || '/' || turn)::uuid AS booking_id) AS made
        WHERE abs(hashtext(place.number || day || '/' || turn)) % 100 < {int(FULL * 100)}
    """
    return [
        f"""
        INSERT INTO bookings (booking_id, restaurant_id, party_size, start_at, end_at, blocked, service_date, status,
                              created_at, updated_at)
        SELECT booking_id, restaurant_id, capacity, at, at + interval '75 min', tstzrange(at, at + interval '80 min'),
               at::date, 'confirmed', now(), now() {wanted}
        """,
        f"""
        INSERT INTO allocations (restaurant_id, table_id, resource_type, booking_id, blocked, service_date)
        SELECT restaurant_id, table_id, 'booking', booking_id, tstzrange(at, at + interval '80 min'), at::date {wanted}
        """,
        "DELETE FROM floor_change",
    ]
