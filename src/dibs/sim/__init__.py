"""Simulated providers that speak the real wire formats; used by the demo, the tests and the benchmarks."""
