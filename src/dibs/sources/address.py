"""Which addresses the outside world may have.

A provider or a webhook that points at loopback or a private network would let an outsider reach what only
this host can reach. The check sits after name resolution, so a name that resolves differently the second
time gains nothing.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from aiohttp import ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult

NAT64 = IPv6Network("64:ff9b::/96")
COMPATIBLE = IPv6Network("::/96")


class PrivateAddressError(OSError):
    """The name leads to an address inside."""


def is_public(address: str) -> bool:
    """Whether the address belongs to the public internet, also when IPv4 hides inside IPv6."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _embedded(parsed)
    if inner is not None:
        return is_public(str(inner))
    return parsed.is_global and not parsed.is_multicast


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in NAT64 or address in COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address.sixtofour:
        return address.sixtofour
    return address.teredo[1] if address.teredo else None


def refuse_private_literal(host: str) -> None:
    """An address written out in a URL never reaches the resolver, so it is looked at here."""
    try:
        ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return
    if not is_public(host.strip("[]")):
        raise PrivateAddressError(f"{host} is not a public address")


class PublicResolver(AbstractResolver):
    """Resolves names, and refuses those that lead inside."""

    def __init__(self, inner: AbstractResolver | None = None) -> None:
        self._inner = inner or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        if any(not is_public(entry["host"]) for entry in found):
            raise PrivateAddressError(f"{host} leads to an address that is not public")
        return found

    async def close(self) -> None:
        await self._inner.close()
