"""OpenTelemetry traces, off unless an endpoint is configured; and the trace ids of events."""

from __future__ import annotations

from contextlib import AbstractContextManager
from secrets import token_hex

from opentelemetry import trace
from opentelemetry.trace import Span

_tracer = trace.get_tracer("dibs")


def configure_traces(endpoint: str) -> None:
    """Sends spans to an OTLP endpoint; an empty one leaves tracing off."""
    if not endpoint:
        return
    # Imported here: the exporter costs a quarter of a second that most processes need not pay.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 -- see above
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 -- see above
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 -- see above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 -- see above

    provider = TracerProvider(resource=Resource.create({"service.name": "dibs"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)


def span(name: str, **attributes: str | float | bool) -> AbstractContextManager[Span]:
    """A span around a piece of work."""
    return _tracer.start_as_current_span(name, attributes=attributes)


def new_trace_id() -> str:
    """The id of the current trace, or a fresh one, so that an event can be followed without a collector."""
    context = trace.get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else token_hex(16)
