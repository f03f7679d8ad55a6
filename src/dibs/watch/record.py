"""Keeps raw answers, compressed, when the provider's `record_dir` asks for it; `dibs replay` reads them."""

import asyncio
import gzip
from base64 import b64decode, b64encode
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct

from dibs.sources import Answer
from dibs.sources.body import source_hash
from dibs.telemetry import emit, events_watch
from dibs.watch.look import Looked


class Recording(Struct, kw_only=True):
    """One look as it came; a file holds any number of them, one per line. `same`: the answer was the one before."""

    provider: str
    kind: str
    watch_key: str
    bucket_id: str
    query: dict[str, str]
    seen_at: datetime
    bodies: list[str] = []
    labels: list[str] = []
    whole: bool = True
    reason: str = ""
    same: bool = False

    def answer(self) -> Answer:
        bodies = tuple(b64decode(body) for body in self.bodies)
        return Answer(bodies, source_hash(bodies), tuple(self.labels), whole=self.whole, reason=self.reason)


async def keep(looked: Looked, answer: Answer) -> None:
    """Appends the look to the file of its watch and day, if its provider records."""
    folder = looked.claimed.provider.config.record_dir
    if not folder:
        return
    try:
        await asyncio.to_thread(_append, Path(folder), looked, answer)
    except OSError as error:
        # What cannot be recorded is still to be detected.
        emit(events_watch.RECORDING_FAILED, watch=looked.claimed.key, reason=error.strerror or str(error))


def _append(folder: Path, looked: Looked, answer: Answer) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{quote(looked.claimed.key, safe='')}.{looked.seen_at:%Y-%m-%d}.jsonl.gz"
    # A day's file can be read without the day before: it begins with an answer, if one came.
    same = looked.seen is None and (answer.not_modified or file.exists())
    line = msgspec.json.encode(_same(looked) if same else _whole(looked, answer)) + b"\n"
    # Members of a gzip file may simply follow each other, so appending needs no rewriting; one write each, so that
    # somebody who is killed leaves no half of one in front of the next.
    with file.open("ab", buffering=0) as raw:
        raw.write(gzip.compress(line))


def _same(looked: Looked) -> Recording:
    claimed = looked.claimed
    return Recording(
        provider=claimed.row.provider,
        kind=claimed.provider.source.kind,
        watch_key=claimed.key,
        bucket_id=claimed.row.bucket_id,
        query=claimed.row.query,
        seen_at=looked.seen_at,
        same=True,
    )


def _whole(looked: Looked, answer: Answer) -> Recording:
    return msgspec.structs.replace(
        _same(looked),
        bodies=[b64encode(body).decode() for body in answer.bodies],
        labels=list(answer.labels),
        whole=answer.whole,
        reason=answer.reason,
        same=False,
    )


def read_recordings(path: Path) -> list[Recording]:
    """All looks in a file, in the order in which they came."""
    with gzip.open(path, "rb") as file:
        return [msgspec.json.decode(line, type=Recording) for line in file if line.strip()]
