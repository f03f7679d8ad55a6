"""From configuration to sources."""

from collections.abc import Mapping

from dibs.config import JsonProvider, Provider, ResyProvider
from dibs.sources.contract import Source
from dibs.sources.json_api import JsonSource
from dibs.sources.resy import ResySource
from dibs.sources.soc import SocSource


def build_source(name: str, provider: Provider) -> Source:
    if isinstance(provider, ResyProvider):
        return ResySource(name, provider)
    if isinstance(provider, JsonProvider):
        return JsonSource(name, provider)
    return SocSource(name, provider)


def build_sources(providers: Mapping[str, Provider]) -> dict[str, Source]:
    return {name: build_source(name, provider) for name, provider in providers.items()}
