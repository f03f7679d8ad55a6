"""What a watch's health has to say: going bad and getting better, each once."""

from dibs.sources import Failure, Fault
from dibs.telemetry import emit, events_watch
from dibs.watch.claim import Claimed
from dibs.watch.model import Outcome
from dibs.watch.status import is_failing


def say_health(claimed: Claimed, failure: Failure | None, outcome: Outcome) -> None:
    """Going bad and getting better are each said once."""
    row = claimed.row
    before = is_failing(configuration_fault=row.configuration_fault, consecutive_failures=row.consecutive_failures)
    after = failure is not None and is_failing(
        configuration_fault=failure.fault is Fault.CONFIGURATION,
        consecutive_failures=row.consecutive_failures + 1,
    )
    if after and not before and failure:
        emit(events_watch.WATCH_FAILING, watch=row.watch_key, reason=failure.reason)
    elif before and not after and outcome is not Outcome.FAILED:
        emit(events_watch.WATCH_RECOVERED, watch=row.watch_key)
