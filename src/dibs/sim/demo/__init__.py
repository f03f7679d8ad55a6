"""The demo: a small town that moves, on simulated providers, with the whole product running over it.

A resy-like city with 60 venues, a campus with 3,000 sections in registration week, a park with campsites and day
passes, a restaurant with a floor of 30 tables, and people who subscribe, search, hold, cancel and stand in line.
Providers fail now and then, visibly. The same seed plays the same acts; `speed` makes them follow faster.
"""

from dibs.sim.demo.town import ADMIN_TOKEN, Town

__all__ = ["ADMIN_TOKEN", "Town"]
