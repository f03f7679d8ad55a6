"""Configuration: a TOML file, every key also as an environment variable, which wins.

`sections` names every key with its type and default, `load` reads file and environment and refuses what it
does not know, naming the key.
"""

from dibs.config.load import load
from dibs.config.sections import (
    Cadence,
    Config,
    JsonProvider,
    Pace,
    Policy,
    Provider,
    ResyProvider,
    SocProvider,
)

__all__ = [
    "Cadence",
    "Config",
    "JsonProvider",
    "Pace",
    "Policy",
    "Provider",
    "ResyProvider",
    "SocProvider",
    "load",
]
