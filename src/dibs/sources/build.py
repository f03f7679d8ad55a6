"""From configuration to sources."""

from collections.abc import Mapping
from zoneinfo import ZoneInfoNotFoundError

from jmespath.exceptions import JMESPathError

from dibs.config import JsonProvider, Provider, ResyProvider
from dibs.errors import CannotStart
from dibs.sources.contract import Source
from dibs.sources.json_api import JsonSource
from dibs.sources.resy import ResySource
from dibs.sources.soc import SocSource


def build_source(name: str, provider: Provider) -> Source:
    """The adapter; settings that only it can judge end the start with a sentence."""
    try:
        return _source(name, provider)
    except JMESPathError as error:
        first = str(error).splitlines()[0]
        raise CannotStart(f"providers.{name}.slots is not a JMESPath expression: {first}") from None
    except (ZoneInfoNotFoundError, ValueError):
        raise CannotStart(f"providers.{name}.timezone is not a time zone, like America/New_York.") from None


def _source(name: str, provider: Provider) -> Source:
    if isinstance(provider, ResyProvider):
        return ResySource(name, provider)
    if isinstance(provider, JsonProvider):
        return JsonSource(name, provider)
    return SocSource(name, provider)


def build_sources(providers: Mapping[str, Provider]) -> dict[str, Source]:
    return {name: build_source(name, provider) for name, provider in providers.items()}
