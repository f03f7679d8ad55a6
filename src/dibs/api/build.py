"""Builds the application from its parts."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from dibs.api import (
    bookings,
    cadences,
    claim_page,
    collection_requests,
    communities,
    entities,
    floors,
    health,
    holds,
    limits,
    line,
    notifications,
    openings,
    problem,
    products,
    search,
    signals,
    staff,
    subscriptions,
    traces,
    unsubscribe,
    wanted,
    watches,
)
from dibs.api.answers import component_schemas
from dibs.parts import Parts

# Routes are tried in this order, so the busiest come first.
ROUTERS = (
    openings.router,
    traces.router,
    staff.router,
    health.router,
    watches.router,
    subscriptions.router,
    notifications.router,
    unsubscribe.router,
    products.router,
    cadences.router,
    signals.router,
    floors.router,
    bookings.router,
    holds.router,
    line.router,
    claim_page.router,
    communities.router,
    search.router,
    entities.router,
    collection_requests.router,
    wanted.router,
)


def build_api(parts: Parts) -> FastAPI:
    """The whole HTTP face over `parts`."""
    api = FastAPI(
        title="dibs",
        version="1",
        description="Watches what is bookable, tells the right people once, and holds it for them.",
        redoc_url=None,
    )
    api.state.parts = parts
    problem.install(api)
    for router in ROUTERS:
        api.include_router(router)
    api.add_middleware(limits.Limits, timeout_s=parts.config.http.request_timeout_s)
    api.openapi = lambda: _openapi(api)
    return api


def _openapi(api: FastAPI) -> dict[str, Any]:
    """FastAPI's document with our answers and problems in it."""
    if api.openapi_schema is None:
        document = get_openapi(title=api.title, version=api.version, description=api.description, routes=api.routes)
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(component_schemas())
        schemas["Problem"] = problem.PROBLEM_SCHEMA
        for item in document["paths"].values():
            for operation in item.values():
                _explain_problems(operation)
        api.openapi_schema = document
    return api.openapi_schema


def _explain_problems(operation: dict[str, Any]) -> None:
    reference = {"schema": {"$ref": "#/components/schemas/Problem"}}
    content = {problem.MEDIA_TYPE: reference}
    operation["responses"]["422"] = {"description": "The request is not valid", "content": content}
    operation["responses"]["default"] = {"description": "A problem", "content": content}
