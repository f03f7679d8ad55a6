"""Notices: what was sent to whom, when, and why not."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from dibs.api.answers import Cursor, Limit, answer, decode_cursor, page, shows
from dibs.api.auth import PartsOf, needs
from dibs.notify.model import FanoutStatus, Notification

router = APIRouter(prefix="/api/notifications", tags=["notifications"])
Id = Annotated[int, Path(ge=1, lt=2**63)]
IdFilter = Annotated[int | None, Query(ge=1, lt=2**63)]


@router.get("", dependencies=needs("read"), responses=shows(Notification, many=True), summary="Notices, newest first")
async def get_notifications(
    parts: PartsOf,
    status: FanoutStatus | None = None,
    subscription_id: IdFilter = None,
    open_event_id: IdFilter = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    before = decode_cursor(cursor, tuple[int])
    found = await parts.notify.notices.list(
        status=status,
        subscription_id=subscription_id,
        open_event_id=open_event_id,
        before=before[0] if before else None,
        limit=limit + 1,
    )
    return page(found, limit, lambda one: [one.notification_id])


@router.get("/{notification_id}", dependencies=needs("read"), responses=shows(Notification), summary="One notice")
async def get_notification(parts: PartsOf, notification_id: Id) -> Response:
    return answer(await parts.notify.notices.get(notification_id))


@router.post(
    "/{notification_id}/requeue",
    dependencies=needs("admin"),
    responses=shows(Notification),
    summary="Try it again from the start, under the same id",
)
async def requeue_notification(parts: PartsOf, notification_id: Id) -> Response:
    return answer(await parts.notify.notices.requeue(notification_id))
