"""What OpenAPI says about the body of PUT …/floor; the document is read by hand, to report all problems at once."""

from __future__ import annotations

from typing import Any

FLOOR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name", "timezone", "zones"],
    "properties": {
        "name": {"type": "string"},
        "timezone": {"type": "string", "examples": ["Europe/London"]},
        "policy": {
            "type": "object",
            "properties": {
                "turn_minutes": {"type": "object", "additionalProperties": {"type": "integer"}},
                "buffer_before_min": {"type": "integer", "minimum": 0, "maximum": 120},
                "buffer_after_min": {"type": "integer", "minimum": 0, "maximum": 120},
                "hold_ttl_s": {"type": "integer", "minimum": 30, "maximum": 600},
                "max_tables": {"type": "integer", "minimum": 1, "maximum": 5},
            },
        },
        "service_periods": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "start", "end"],
                "properties": {
                    "name": {"type": "string"},
                    "start": {"type": "string", "examples": ["17:00"]},
                    "end": {"type": "string", "examples": ["22:00"]},
                },
            },
        },
        "zones": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "tables"],
                "properties": {
                    "name": {"type": "string"},
                    "tables": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["number", "capacity", "mobility"],
                            "properties": {
                                "number": {"type": "string"},
                                "capacity": {"type": "integer", "minimum": 1},
                                "min_party": {"type": "integer", "minimum": 1},
                                "max_party": {"type": "integer", "minimum": 1},
                                "mobility": {"enum": ["movable", "fixed"]},
                                "active": {"type": "boolean"},
                                "x": {"type": "number"},
                                "y": {"type": "number"},
                            },
                        },
                    },
                },
            },
        },
        "adjacencies": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        },
    },
}
