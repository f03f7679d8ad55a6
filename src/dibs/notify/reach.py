"""Where somebody can be told: a channel that there is, and an address that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dibs.errors import Invalid
from dibs.notify.addresses import address_key
from dibs.notify.channels import Channel
from dibs.notify.model import ChannelName


@dataclass(frozen=True, slots=True)
class Reach:
    """A checked way to somebody; `key` is the same however the address was spelled."""

    channel: ChannelName
    address: str
    key: str


async def reach(channels: Mapping[ChannelName, Channel], channel: str, address: str) -> Reach:
    """Says what is wrong with a channel or an address that cannot work."""
    name: Any = channel
    found = channels.get(name)
    if found is None:
        known = ", ".join(channels)
        raise Invalid(f"channel: there is no channel {channel!r}; choose one of {known}.", field="channel")
    checked = await found.check(address.strip())
    return Reach(found.name, checked, address_key(found.name, checked))
