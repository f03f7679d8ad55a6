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
:root {{ color-scheme: light dark; --paper: #f6f6f3; --card: #fff; --ink: #17191c; --line: #8b9098;
  --accent: #0b6b4f; --accent-ink: #fff; --focus: #1457d9 }}
@media (prefers-color-scheme: dark) {{ :root {{ --paper: #0f1312; --card: #171d1b; --ink: #e9eeec; --line: #78847f;
  --accent: #4fd6a2; --accent-ink: #06261b; --focus: #8ab4ff }} }}
body {{ margin: 0; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; background: var(--paper); color: var(--ink) }}
main {{ max-width: 32rem; margin: 10vh auto 0; padding: 2rem; background: var(--card); border-radius: 12px }}
h1 {{ margin: 0 0 1rem; font-size: 1.4rem }}
form {{ margin-top: .75rem }}
button {{ padding: .7rem 1.4rem; border: 1px solid var(--line); border-radius: 10px; background: none;
  color: inherit; font: inherit; font-weight: 600; cursor: pointer }}
p + form button {{ border-color: var(--accent); background: var(--accent); color: var(--accent-ink) }}
button:focus-visible {{ outline: 3px solid var(--focus); outline-offset: 2px }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p>{form}</main></body>
</html>
"""
FORM = '<form method="post" action="{action}"><button type="submit">{label}</button></form>'


def form(path: str, token: str, label: str, **fields: str) -> str:
    """A button that acts; looking at the page changes nothing. The first of a page is the one that stands out."""
    action = escape(f"{path}?{urlencode({'token': token, **fields})}")
    return FORM.format(action=action, label=escape(label))


def page(title: str, text: str, forms: str = "", *, status: int = 200) -> Response:
    """`text` and `forms` are HTML; whatever came from outside in them was escaped."""
    filled = PAGE.format(title=escape(title), text=text, form=forms)
    return Response(filled, status, HEADERS, media_type="text/html; charset=utf-8")
