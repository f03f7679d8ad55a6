"""Addresses, channel by channel: whether one can work at all, and if not, what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from dibs.errors import Invalid

LONGEST_EMAIL = 254
LONGEST_LOCAL_PART = 64
LONGEST_URL = 2048
LOCAL_PART = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+")
DOMAIN_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
INVISIBLE = re.compile(r"[\s\x00-\x1f\x7f]")


def refuse(problem: str) -> Invalid:
    """The error for a bad address."""
    return Invalid(f"address: {problem}", code="invalid_address", field="address")


def check_email(address: str) -> str:
    """The address with its domain in the form that mail uses."""
    if INVISIBLE.search(address):
        raise refuse("it contains a space or a control character.")
    local, at, domain = address.rpartition("@")
    if not at:
        raise refuse("an email address needs an '@', as in 'ann@example.org'.")
    _check_local_part(local)
    domain = _check_domain(domain)
    if len(local) + 1 + len(domain) > LONGEST_EMAIL:
        raise refuse(f"it is longer than {LONGEST_EMAIL} characters.")
    return f"{local}@{domain}"


def _check_local_part(local: str) -> None:
    if not local:
        raise refuse("there is nothing before the '@'.")
    if len(local) > LONGEST_LOCAL_PART:
        raise refuse(f"the part before the '@' is longer than {LONGEST_LOCAL_PART} characters.")
    if "@" in local:
        raise refuse("it contains more than one '@'.")
    if local.startswith(".") or local.endswith(".") or ".." in local:
        raise refuse("the part before the '@' starts or ends with a dot or has two in a row.")
    if not LOCAL_PART.fullmatch(local):
        bad = next(character for character in local if not LOCAL_PART.fullmatch(character))
        raise refuse(f"the part before the '@' contains {bad!r}, which mail servers do not take.")


def _check_domain(domain: str) -> str:
    if not domain:
        raise refuse("there is no domain after the '@'.")
    try:
        ascii_domain = domain.encode("idna").decode().lower()
    except UnicodeError:
        raise refuse(f"{domain!r} is not a domain name.") from None
    labels = ascii_domain.split(".")
    if len(labels) < 2:
        raise refuse(f"the domain {domain!r} has no dot; it should look like 'example.org'.")
    if not all(DOMAIN_LABEL.fullmatch(label) for label in labels):
        raise refuse(f"{domain!r} is not a domain name.")
    if labels[-1].isdigit():
        raise refuse(f"{domain!r} is a number, not a domain name.")
    return ascii_domain


def check_url(address: str) -> SplitResult:
    """A webhook's URL, taken apart."""
    if len(address) > LONGEST_URL:
        raise refuse(f"the URL is longer than {LONGEST_URL} characters.")
    if INVISIBLE.search(address):
        raise refuse("the URL contains a space or a control character.")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise refuse(f"it is not a URL ({error}).") from None
    if parts.scheme not in ("http", "https"):
        raise refuse("a webhook needs a URL that starts with https:// or http://.")
    if not host:
        raise refuse("the URL has no host.")
    if port == 0:
        raise refuse("port 0 cannot be called.")
    if parts.username or parts.password:
        raise refuse("the URL carries a user name or password; put a secret into the path or query instead.")
    if parts.fragment:
        raise refuse("the URL has a fragment (#…), which is never sent; leave it out.")
    _check_host(host)
    return parts


def _check_host(host: str) -> None:
    if is_ip(host):
        return
    try:
        host.encode("idna")
    except UnicodeError:
        raise refuse(f"{host!r} is not a host name.") from None


def is_ip(host: str) -> bool:
    """Whether the host is a literal address and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def check_scheme(address: str, allowed: Collection[str]) -> str:
    """The scheme of an Apprise URL, which has to be one that the installation allows."""
    if len(address) > LONGEST_URL:
        raise refuse(f"the URL is longer than {LONGEST_URL} characters.")
    if INVISIBLE.search(address):
        raise refuse("the URL contains a space or a control character.")
    scheme, separator, rest = address.partition("://")
    if not separator or not scheme or not rest:
        raise refuse("an Apprise URL looks like 'ntfy://topic'.")
    scheme = scheme.lower()
    if scheme not in allowed:
        known = ", ".join(sorted(allowed)) or "none"
        raise refuse(f"the scheme {scheme!r} is not allowed here; allowed: {known}.")
    return scheme


def address_key(channel: str, address: str) -> str:
    """What makes two spellings of an address the same one."""
    if channel == "email":
        return address.lower()
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    # Only a webhook's host is known not to care about case; an Apprise URL carries tokens there.
    host = host.lower() if channel == "webhook" else host
    return f"{scheme.lower()}{separator}{host}{slash if path else ''}{path}"
