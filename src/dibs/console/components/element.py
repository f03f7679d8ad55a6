"""HTML elements whose texts and attributes cannot become code."""

from __future__ import annotations

from urllib.parse import urlsplit

from nicegui.element import Element

Attribute = str | int | float | bool | None


def safe_link(href: str | None) -> str | None:
    """The link, when it leads to a web page or to a page of ours; else None."""
    if not href:
        return None
    if href.startswith("/"):
        return None if href[1:2] in ("/", "\\") else href
    try:
        return href if urlsplit(href).scheme.lower() in ("http", "https") else None
    except ValueError:
        return None


class Node(Element):
    """An HTML element with a text that can be changed; the text is never read as HTML."""

    def __init__(self, tag: str, text: str | None = None) -> None:
        super().__init__(tag)
        self._text = text

    def show(self, text: str) -> None:
        """Another text; nothing is sent when it is the same."""
        if text != self._text:
            self._text = text
            self.update()


def el(tag: str, text: str | None = None, *, classes: str = "", **attributes: Attribute) -> Node:
    """An HTML element; `aria_label=` becomes `aria-label`, `for_=` becomes `for`; None leaves it out."""
    node = Node(tag, text)
    if classes.strip():
        node.classes(classes)
    set_attributes(node, attributes)
    return node


def set_attributes(element: Element, attributes: dict[str, Attribute]) -> None:
    """Sets them one by one: the toolkit's `.props("…")` would parse, and evaluate, what stands in them."""
    for name, value in attributes.items():
        attribute = name.rstrip("_").replace("_", "-")
        if attribute == "href":
            value = safe_link(str(value)) if value is not None else None  # noqa: PLW2901 - the same attribute, made safe
        if value is None or value is False:
            element.props.pop(attribute, None)
        else:
            element.props[attribute] = value


def icon(name: str, *, classes: str = "") -> Node:
    """A sign beside a word; readers of the page by ear only get the word."""
    return el("i", name, classes=f"material-icons {classes}", aria_hidden="true")
