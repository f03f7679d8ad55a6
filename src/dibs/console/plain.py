"""Pages that need no script: the door, and what is shown when there is no page."""

from __future__ import annotations

import hashlib
from html import escape

from nicegui import __version__ as toolkit

from dibs.console.static import STATIC


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for path in sorted(STATIC.iterdir()):
        if path.suffix in (".css", ".js", ".svg"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


# Part of the address of every static file, so that a new version is never mixed with an old one from a cache.
ASSETS = f"/_dibs/{_fingerprint()}"

HEAD = f"""<script src="{ASSETS}/console.js"></script>
<link rel="stylesheet" href="{ASSETS}/console.css">"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · dibs</title>
<link rel="icon" href="{assets}/icon.svg">
<link rel="stylesheet" href="/_nicegui/{toolkit}/static/fonts.css">
{head}
</head>
<body class="dibs-door" data-dibs-plain>
<main><div class="dibs-card">
<div class="dibs-brand"><img src="{assets}/icon.svg" alt="">dibs</div>
{body}
</div></main>
</body>
</html>"""

DOOR = """<div><h1>Sign in</h1>
<p class="dibs-muted">See what opens, the moment it opens.</p></div>
{refused}
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="{onward}">
<input type="text" name="username" value="dibs" autocomplete="username" hidden>
<label class="dibs-field"><span>Token</span>
<input name="token" type="password" autocomplete="current-password"
 required autofocus spellcheck="false"{invalid}></label>
<button class="dibs-button" type="submit">Sign in</button>
</form>
<details><summary>Where do I get a token?</summary>
<p>The first start prints one. Make another on the server:</p>
<p><code>dibs token create --name you --scope staff</code></p></details>"""

REFUSED = """<div class="dibs-notice tone-bad" role="alert" id="refused"><div>
<p>This token is not known, or it was revoked.</p>
<p>Check that you copied all of it.</p></div></div>"""


def _page(title: str, body: str) -> str:
    return PAGE.format(title=escape(title), assets=ASSETS, toolkit=toolkit, head=HEAD, body=body)


def sign_in(onward: str, *, refused: bool = False) -> str:
    """The door; `onward` is where the person goes afterwards."""
    invalid = ' aria-invalid="true" aria-describedby="refused"' if refused else ""
    return _page(
        "Sign in",
        DOOR.format(onward=escape(onward, quote=True), refused=REFUSED if refused else "", invalid=invalid),
    )


def message(title: str, text: str) -> str:
    """A page that says one thing and leads back."""
    body = f"<div><h1>{escape(title)}</h1></div><p>{escape(text)}</p>"
    return _page(title, f'{body}<p><a class="dibs-button" href="/">Go to the overview</a></p>')
