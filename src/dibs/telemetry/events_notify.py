"""What notify says."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

SUBSCRIBED = event("notify.subscription.created", "Somebody asked to be told about a topic.")
UNSUBSCRIBED = event("notify.subscription.unsubscribed", "Somebody no longer wants to be told.")
SUPPRESSED = event(
    "notify.subscription.suppressed",
    "An address asked to be left alone, or failed for days; nothing is sent to it until its owner resumes.",
    level="warning",
)
FANNED_OUT = event("notify.fanned_out", "Openings became notices.", level="debug")
NOTICE_FAILED = event("notify.notice.failed", "A notice could not be delivered and is given up.", level="warning")
NOTICE_RETRIED = event("notify.notice.retried", "A notice failed and is tried again later.", level="debug")
NOTICE_LOST_LEASE = event(
    "notify.notice.lease_lost",
    "A send took longer than its lease; whoever claimed the notice next writes its outcome.",
    level="warning",
)
NOTICE_REQUEUED = event("notify.notice.requeued", "A notice was put back into the queue by hand.")
CHANNEL_BROKEN = event(
    "notify.channel.broken",
    "A channel raised where it should have answered; the notice is tried again.",
    level="error",
)
NOTICES_PRUNED = event("notify.notices.pruned", "Notices past their retention were removed.")
SETTLE_DELAYED = event(
    "notify.settle.delayed", "The database was away when outcomes were to be written; tried again.", level="warning"
)
SETTLE_FAILED = event(
    "notify.settle.failed",
    "Outcomes could not be written; the notices are sent again under the same keys when their leases end.",
    level="error",
)
