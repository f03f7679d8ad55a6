"""One trace: the whole life of an opening, with times, put together from what the stages wrote.

Nothing is stored for it. The hub knows the event and when it closed, the watch its snapshot, notify the fan-out and
each notice, the line its offers. `steps` is pure; `read` asks each stage once.
"""

from dibs.trace.read import Trace, Tracer
from dibs.trace.steps import Step

__all__ = ["Step", "Trace", "Tracer"]
