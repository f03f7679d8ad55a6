"""Pages for people behind a link: plain HTML, no console, no script, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urlencode

from fastapi import Response

HTML_ANSWER: dict[int | str, dict[str, Any]] = {200: {"description": "A page for people", "content": {"text/html": {}}}}
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'",
}
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>{title}</title>
<style>
body {{ margin: 0; font: 16px/1.5 system-ui, sans-serif; background: #f4f5f7; color: #1c2430 }}
main {{ max-width: 32rem; margin: 12vh auto 0; padding: 2rem; background: #fff; border-radius: 8px }}
h1 {{ margin: 0 0 1rem; font-size: 1.4rem }}
button {{ padding: .7rem 1.4rem; border: 0; border-radius: 6px; background: #0b5cad; color: #fff; font: inherit }}
button:focus-visible {{ outline: 3px solid #f2a900 }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p>{form}</main></body>
</html>
"""
FORM = '<form method="post" action="{action}"><button type="submit">{label}</button></form>'


def form(path: str, token: str, label: str, **fields: str) -> str:
    """A button that acts; looking at the page changes nothing."""
    action = escape(f"{path}?{urlencode({'token': token, **fields})}")
    return FORM.format(action=action, label=escape(label))


def page(title: str, text: str, forms: str = "", *, status: int = 200) -> Response:
    """`text` and `forms` are HTML; whatever came from outside in them was escaped."""
    filled = PAGE.format(title=escape(title), text=text, form=forms)
    return Response(filled, status, HEADERS, media_type="text/html; charset=utf-8")
