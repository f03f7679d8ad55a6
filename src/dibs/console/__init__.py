"""The console: pages for people, at `/`, in the same process as the API.

Authority: none. A page reads through the same verbs as the API and keeps no state of its own but the
filters in its address. No SQL and no rules live here.

Session: a person signs in with a token. The signed cookie holds the token's id, never the token; every page
load, every action and a slow heartbeat ask `dibs.access` whether that token still stands, so revoking it
signs out.

Live: `view.live(refresh, channel)` runs `refresh` when the database rings the channel and, as a safety net,
every few seconds. When the connection is lost the page says so and since when; nothing on it pretends to be
current.

Untrusted: whatever a provider sent is put in as text (`components.el`), links lead to http(s) only, and the
content security policy lets no page load anything from elsewhere.

    mount.py       joins the console to the FastAPI application
    session.py     sign-in, sign-out, who is there
    page.py        `@page`: the frame around every page, the `View` that a page works with
    shell.py       navigation
    live.py        updates without reload
    components/    the building blocks
    pages/         one file per page
    static/        style, script, and the browser halves of the components
"""

from dibs.console.mount import mount
from dibs.console.page import View, page

__all__ = ["View", "mount", "page"]
