"""Simulated providers that speak the real wire formats over HTTP, and know the truth.

The demo runs on them, the tests compare with them, the benchmarks measure against them. A world is the truth
(what is really open), its `faults` say how much of it gets through, and its server's log says who asked when.
Nothing but the command line, the demo and tests imports this package.
"""
