"""What every benchmark uses: a durable server of its own, a clean database, fair measuring, one kind of result."""

from bench.harness.bench import Bench
from bench.harness.load import Served, request_rate
from bench.harness.result import Result

__all__ = ["Bench", "Result", "Served", "request_rate"]
