"""What runs in the background for own inventory."""

from __future__ import annotations

from dibs.clock import Clock
from dibs.config import Config
from dibs.db import Database
from dibs.signals.audit import Audit
from dibs.signals.expire import REST_S, Expire
from dibs.signals.schedule import LOOK_AGAIN_S, Schedule
from dibs.work import Loop

# Two, so that a long tick of one cadence does not delay the others.
SIDE_BY_SIDE = 2


def loops(config: Config, database: Database, clock: Clock, worker: str) -> list[Loop]:
    """The schedules, the expiry and the audit."""
    settings = config.signals
    schedule = Schedule(database, clock, worker, settings.schedule())
    return [
        *(
            Loop(f"signals.schedule.{number}", schedule.run_once, idle_s=LOOK_AGAIN_S)
            for number in range(1, SIDE_BY_SIDE + 1)
        ),
        Loop("signals.expire", Expire(database, clock, settings.retention_days).run_once, idle_s=REST_S),
        Loop(
            "signals.audit",
            Audit(database, clock, settings.audit_interval_s).run_once,
            idle_s=settings.audit_interval_s,
        ),
    ]
