"""Is it alive, is it ready, how is it doing."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from dibs.api.answers import answer
from dibs.api.auth import PartsOf, needs, open_to_all
from dibs.db.migrate import is_current
from dibs.errors import Unavailable
from dibs.telemetry import REGISTRY

router = APIRouter(tags=["health"])


@router.get("/healthz", dependencies=open_to_all, summary="Alive")
async def healthz() -> Response:
    return answer({"status": "ok"})


@router.get("/readyz", dependencies=open_to_all, summary="Database reachable, migrations current")
async def readyz(parts: PartsOf) -> Response:
    if not await is_current(parts.db):
        raise Unavailable("The schema is not at the version of the code; run `dibs migrate`.", code="not_migrated")
    return answer({"status": "ready"})


@router.get("/metrics", dependencies=needs("read"), summary="Prometheus metrics")
async def metrics() -> Response:
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)
