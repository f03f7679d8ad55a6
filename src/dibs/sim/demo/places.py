"""What stands in the town: the floor of the restaurant and the park's product."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from dibs.signals.model import CadenceBucket, Floor, Pattern, ProductKey, ProductPlan, Tier

RESTAURANT, RESTAURANT_NAME = "blue-door", "Blue Door"
# Where people speak of it, and look for it in vain at first.
HOME = "foodnyc"
PASSES = ProductKey("town", "park", "yosemite", "day-pass")
DINNERS = ProductKey("town", "restaurant", RESTAURANT, "dinner")
TIERS = [
    Tier(id="full", label="Full", max_percentage=0.0),
    Tier(id="low", label="Few left", max_percentage=0.25),
    Tier(id="medium", label="Some left", max_percentage=0.75),
    Tier(id="high", label="Plenty", max_percentage=1.0),
]


def floor_document() -> dict[str, Any]:
    """Thirty tables in three zones; the rows of the hall can be pushed together."""
    hall = [_table(f"H{number}", 2 if number <= 8 else 4, number - 1, 0) for number in range(1, 13)]
    garden = [_table(f"G{number}", 4 if number <= 8 else 6, number - 1, 1) for number in range(1, 11)]
    bar = [_table(f"B{number}", 2, number - 1, 2, mobility="fixed") for number in range(1, 9)]
    return {
        "name": RESTAURANT_NAME,
        "timezone": "America/New_York",
        # Open around the clock, so that the demo moves whenever it is looked at.
        "service_periods": [{"name": "all day", "start": "00:00", "end": "23:59"}],
        "zones": [
            {"name": "Hall", "tables": hall},
            {"name": "Garden", "tables": garden},
            {"name": "Bar", "tables": bar},
        ],
        "adjacencies": [
            *[[f"H{number}", f"H{number + 1}"] for number in range(1, 12)],
            *[[f"G{number}", f"G{number + 1}"] for number in range(1, 10)],
        ],
    }


def _table(number: str, capacity: int, column: int, row: int, mobility: str = "movable") -> dict[str, Any]:
    return {
        "number": number,
        "capacity": capacity,
        "mobility": mobility,
        "x": 60 + column * 90,
        "y": 60 + row * 140,
    }


def passes_plan(today: date) -> ProductPlan:
    """Day passes for a month, in tiers."""
    return ProductPlan(
        name="Yosemite day pass",
        timezone="America/Los_Angeles",
        capacity=20,
        range_start=today,
        range_end=today + timedelta(days=30),
        pattern=Pattern(
            estimation_mode="tiered", cadence=CadenceBucket(id="demo", label="Every few seconds"), tiers=TIERS
        ),
        floor=None,
    )


def dinner_plan(today: date) -> ProductPlan:
    """How many tables of the restaurant are free, for a week: so that it can be watched like any other place."""
    return ProductPlan(
        name=RESTAURANT_NAME,
        timezone="America/New_York",
        capacity=0,
        range_start=today,
        range_end=today + timedelta(days=7),
        pattern=Pattern(estimation_mode="exact", cadence=CadenceBucket(id="demo", label="Every few seconds")),
        floor=Floor(restaurant=RESTAURANT, measure="tables"),
    )
