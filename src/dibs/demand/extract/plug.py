"""Extractors by name: the built-in one, or any that a package offers under `dibs.extractors`."""

from importlib.metadata import entry_points
from typing import cast

from dibs.demand.extract.deterministic import DeterministicExtractor
from dibs.demand.extract.model import Extractor
from dibs.errors import CannotStart

GROUP = "dibs.extractors"
BUILT_IN = "deterministic"


def load_extractor(name: str = BUILT_IN) -> Extractor:
    if name == BUILT_IN:
        return DeterministicExtractor()
    for entry in entry_points(group=GROUP, name=name):
        return cast("type[Extractor]", entry.load())()
    raise CannotStart(
        f"no extractor is called {name!r}; install the package that provides it or use {BUILT_IN!r}",
        code="unknown_extractor",
    )
