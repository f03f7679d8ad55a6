"""What keeps untrusted text from becoming a link, a place to go, or code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.console.components import Empty, safe_link, sign_of
from dibs.console.components.badge import STATUSES
from dibs.console.plain import message, sign_in
from dibs.console.session import local_path
from dibs.console.shell import NAVIGATION, current_entry


@pytest.mark.parametrize(
    "href", ["https://a.example/x", "http://a.example", "HTTPS://a.example", "/openings", "/openings/1?x=2"]
)
def test_a_link_to_a_page_is_kept(href: str) -> None:
    assert safe_link(href) == href


@pytest.mark.parametrize(
    "href",
    [
        None,
        "",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>1</script>",
        "//evil.example",
        "/\\evil.example",
        "vbscript:x",
        "file:///etc/passwd",
        "http://[broken",
        "evil.example",
    ],
)
def test_any_other_link_is_dropped(href: str | None) -> None:
    assert safe_link(href) is None


@given(st.text())
def test_whatever_is_kept_leads_to_a_page(href: str) -> None:
    kept = safe_link(href)
    assert kept is None or kept.lower().startswith(("http:", "https:", "/"))


@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\nb", "x", "/" + "a" * 3000]
)
def test_nobody_is_sent_elsewhere_after_signing_in(path: str) -> None:
    assert local_path(path) == "/"


def test_people_come_back_to_where_they_were() -> None:
    assert local_path("/openings?provider=a&q=b") == "/openings?provider=a&q=b"


def test_the_plain_pages_escape() -> None:
    assert "<script>alert" not in sign_in('/"><script>alert(1)</script>')
    assert "<b>" not in message("<b>", "<b>")


def test_an_empty_state_drops_a_bad_link() -> None:
    assert Empty("a", "b", href="javascript:1").shown()["href"] == ""


def test_every_state_has_a_sign_and_an_unknown_one_is_shown_quietly() -> None:
    assert all(sign.icon for sign in STATUSES.values())
    assert sign_of("never heard of").tone == "quiet"
    assert sign_of("Open") == sign_of("open")


@pytest.mark.parametrize(
    ("path", "entry"),
    [("/", "/"), ("/openings", "/openings"), ("/openings/17", "/openings"), ("/openingsx", ""), ("/docs", "")],
)
def test_a_page_knows_its_place_in_the_navigation(path: str, entry: str) -> None:
    assert current_entry(path) == entry
    assert len({one.path for one in NAVIGATION}) == len(NAVIGATION)
