"""The process of one measured application: `python -m bench.harness.serve MODULE:FUNCTION [arguments]`."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import sys
from typing import Any

import uvicorn


async def _serve(factory: str, arguments: list[str]) -> None:
    module, _, name = factory.partition(":")
    make: Any = getattr(importlib.import_module(module), name)
    async with make(*arguments) as app:
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False))
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
            if task.done():
                task.result()
        # As the product does once it is ready, for every application alike.
        gc.collect()
        gc.freeze()
        port = server.servers[0].sockets[0].getsockname()[1]
        sys.stdout.write(json.dumps({"port": port}) + "\n")
        sys.stdout.flush()
        await task


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], sys.argv[2:]))
