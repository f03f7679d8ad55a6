"""Openings as an Atom feed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from xml.etree import ElementTree as Xml

from dibs.openings import OpenEvent

NAMESPACE = "http://www.w3.org/2005/Atom"
# XML 1.0 has no way to write these.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render(events: Sequence[OpenEvent], public_url: str, now: datetime) -> bytes:
    """The feed; each entry links to where it can be booked, if the provider says so."""
    feed = Xml.Element("feed", xmlns=NAMESPACE)
    _add(feed, "id", f"{public_url}/api/openings.atom")
    _add(feed, "title", "Just opened")
    _add(feed, "updated", _stamp(events[0].event_at if events else now))
    Xml.SubElement(feed, "link", rel="self", href=f"{public_url}/api/openings.atom")
    author = Xml.SubElement(feed, "author")
    _add(author, "name", "dibs")
    for event in events:
        _entry(feed, event, public_url)
    return Xml.tostring(feed, encoding="utf-8", xml_declaration=True)


def _entry(feed: Xml.Element, event: OpenEvent, public_url: str) -> None:
    entry = Xml.SubElement(feed, "entry")
    own = f"{public_url}/api/openings/{event.open_event_id}"
    _add(entry, "id", own)
    _add(entry, "title", str(event.payload.get("title") or event.slot_key))
    _add(entry, "updated", _stamp(event.event_at))
    url = str(event.payload.get("url") or "")
    Xml.SubElement(entry, "link", href=_clean(url if url.startswith(("http://", "https://")) else own))
    state = "still open" if event.still_open else "gone"
    _add(entry, "summary", f"{event.provider}, {event.group_key}: {state}")


def _add(parent: Xml.Element, name: str, text: str) -> None:
    Xml.SubElement(parent, name).text = _clean(text)


def _clean(text: str) -> str:
    return UNWRITABLE.sub("\ufffd", text)


def _stamp(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
