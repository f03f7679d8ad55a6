"""`flip`: allocate through the store, against pgbench running the same statement.

One allocation is one statement: it checks the reference, holds the date, records the allocation; triggers keep the
sum and mark the signal, in pgbench's run as in ours. Both use the same number of connections and spread over the
same dates, and a durable server commits every one. The ratio is what Python costs around the statement.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from datetime import timedelta

from bench.harness import Bench, Result
from bench.harness.inventory import inventory
from dibs.signals.allocate import allocate
from dibs.signals.model import ProductKey
from dibs.signals.store import sql

CLIENTS = 8
PRODUCTS = 20
DAYS = 365
# What pgbench has in place of the parameters; every reference is new.
PARAMETERS = {
    "product_key": "'parks::camping::lake::site-' || (:product)::text",
    "date": "(current_date + (:day)::integer)",
    "reference": "'pgbench-' || (:client_id)::text || '-' || (:reference)::text",
    "quantity": "1",
    "now": "NULL",
}
SCRIPT = f"""
\\set product random(1, {PRODUCTS})
\\set day random(1, {DAYS - 1})
\\set reference random(1, 9000000000000000)
"""


async def run(bench: Bench) -> list[Result]:
    await bench.fill(*inventory(PRODUCTS * DAYS, days=DAYS), "UPDATE product_date SET capacity = 1000000")
    statement = re.sub(r"%\((\w+)\)s", lambda match: PARAMETERS[match[1]], sql("allocate").decode())
    seconds = 1 if bench.quick else 4
    async with bench.parts() as parts:
        numbers = itertools.count()
        day = parts.clock.now().date()

        async def client(end: float) -> int:
            count = 0
            while time.perf_counter() < end:
                number = next(numbers)
                key = ProductKey("parks", "camping", "lake", f"site-{number % PRODUCTS + 1}")
                date = day + timedelta(days=number * 7 % (DAYS - 1) + 1)
                await allocate(parts.db, parts.clock, key, date, reference=f"ours-{number}", quantity=1)
                count += 1
            return count

        async def ours() -> float:
            started = time.perf_counter()
            counts = await asyncio.gather(*(client(started + seconds) for _ in range(CLIENTS)))
            return sum(counts) / (time.perf_counter() - started)

        rates = [
            (await bench.pgbench(SCRIPT + statement, clients=CLIENTS, seconds=seconds), await ours())
            for _ in range(1 + bench.sized(3, 1))
        ][1:]
    floor, value = (sorted(column)[len(rates) // 2] for column in zip(*rates, strict=True))
    note = f"{CLIENTS} connections, {PRODUCTS * DAYS:,} dates"
    return [Result("flip", value, "allocations/s", floor=floor, at_least=0.5, note=note)]
