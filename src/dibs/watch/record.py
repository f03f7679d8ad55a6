"""Keeps raw answers, compressed, when the provider's `record_dir` asks for it; `dibs replay` reads them."""

import asyncio
import gzip
from base64 import b64decode, b64encode
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct

from dibs.clock import Clock
from dibs.sources import Answer
from dibs.sources.body import source_hash
from dibs.watch.claim import Claimed


class Recording(Struct, kw_only=True):
    """One answer as it came; a file holds any number of them, one per line."""

    provider: str
    kind: str
    watch_key: str
    bucket_id: str
    query: dict[str, str]
    seen_at: datetime
    bodies: list[str]
    labels: list[str]
    whole: bool
    reason: str

    def answer(self) -> Answer:
        bodies = tuple(b64decode(body) for body in self.bodies)
        return Answer(bodies, source_hash(bodies), tuple(self.labels), whole=self.whole, reason=self.reason)


class Recorder:
    """Appends every new answer of a provider that records to one file per watch and day."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def keep(self, claimed: Claimed, answer: Answer) -> None:
        folder = claimed.provider.config.record_dir
        if folder:
            await asyncio.to_thread(self._append, Path(folder), claimed, answer)

    def _append(self, folder: Path, claimed: Claimed, answer: Answer) -> None:
        now = self._clock.now()
        folder.mkdir(parents=True, exist_ok=True)
        recording = Recording(
            provider=claimed.row.provider,
            kind=claimed.provider.source.kind,
            watch_key=claimed.key,
            bucket_id=claimed.row.bucket_id,
            query=claimed.row.query,
            seen_at=now,
            bodies=[b64encode(body).decode() for body in answer.bodies],
            labels=list(answer.labels),
            whole=answer.whole,
            reason=answer.reason,
        )
        name = f"{quote(claimed.key, safe='')}.{now:%Y-%m-%d}.jsonl.gz"
        # Members of a gzip file may simply follow each other, so appending needs no rewriting.
        with gzip.open(folder / name, "ab") as file:
            file.write(msgspec.json.encode(recording) + b"\n")


def read_recordings(path: Path) -> list[Recording]:
    """All answers in a file, in the order in which they came."""
    with gzip.open(path, "rb") as file:
        return [msgspec.json.decode(line, type=Recording) for line in file if line.strip()]
