"""Benchmarks: one file per hot path, each against a floor that is measured in the same run.

A file `bench/NAME.py` has `async def run(bench: Bench) -> list[Result]`; `python -m bench NAME` runs it. What a
benchmark compares, and why that floor is the fair one, stands in its docstring.
"""
