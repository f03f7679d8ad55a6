"""A bad address is refused with what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.errors import Invalid
from dibs.notify.addresses import address_key, check_email, check_scheme, check_url


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("", "needs an '@'"),
        ("ann", "needs an '@'"),
        ("@example.org", "nothing before"),
        ("ann@", "no domain"),
        ("ann@localhost", "no dot"),
        ("ann@exa mple.org", "space"),
        ("ann@example.org\r\nBcc: all@example.org", "control character"),
        ("ann@b@example.org", "more than one"),
        ("a..b@example.org", "two in a row"),
        (".a@example.org", "starts or ends with a dot"),
        ("a(b)@example.org", "'\\('"),
        ("änn@example.org", "'ä'"),
        ("ann@-bad.org", "not a domain name"),
        ("ann@example..org", "not a domain name"),
        ("ann@10.0.0.1", "a number"),
        ("a" * 65 + "@example.org", "longer than 64"),
        ("ann@" + ".".join(["a" * 60] * 5), "longer than 254"),
    ],
)
def test_a_bad_email_address_is_explained(address: str, problem: str) -> None:
    with pytest.raises(Invalid, match=problem) as refused:
        check_email(address)
    assert refused.value.code == "invalid_address"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("ann@example.org", "ann@example.org"),
        ("Ann.Lee+dibs@Example.ORG", "Ann.Lee+dibs@example.org"),
        ("ann@bücher.example", "ann@xn--bcher-kva.example"),
    ],
)
def test_a_good_email_address_is_kept(address: str, kept: str) -> None:
    assert check_email(address) == kept


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("ftp://example.org/", "https://"),
        ("example.org/hook", "https://"),
        ("https://", "no host"),
        ("https://user:secret@example.org/", "password"),
        ("https://example.org/#part", "fragment"),
        ("https://example.org:99999/", "not a URL"),
        ("https://example.org:0/", "port 0"),
        ("https://exa mple.org/", "space"),
        ("https://[::1/", "not a URL"),
        ("https://" + "a" * 64 + ".org/", "not a host name"),
        ("https://example.org/" + "a" * 2048, "longer than 2048"),
    ],
)
def test_a_bad_webhook_url_is_explained(address: str, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        check_url(address)


@pytest.mark.parametrize(
    "address", ["https://example.org/hook?key=1", "http://[2001:db8::1]:8080/", "https://bücher.example/"]
)
def test_a_good_webhook_url_passes(address: str) -> None:
    assert check_url(address).hostname


@pytest.mark.parametrize(
    ("address", "problem"),
    [("ntfy", "looks like"), ("file:///etc/passwd", "'file' is not allowed"), ("://x", "looks like")],
)
def test_only_configured_apprise_schemes_pass(address: str, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        check_scheme(address, {"ntfy"})
    assert check_scheme("NTFY://topic", {"ntfy"}) == "ntfy"


def test_two_spellings_of_one_address_have_one_key() -> None:
    assert address_key("email", "Ann@Example.org") == address_key("email", "ann@example.org")
    assert address_key("webhook", "HTTPS://Example.org/A") == address_key("webhook", "https://example.org/A")
    assert address_key("webhook", "https://example.org/") == address_key("webhook", "https://example.org")
    assert address_key("webhook", "https://example.org/A") != address_key("webhook", "https://example.org/a")
    assert address_key("apprise", "tgram://AbC/1") != address_key("apprise", "tgram://abc/1")


@given(st.text(max_size=40), st.sampled_from([check_email, check_url]))
def test_any_text_is_either_an_address_or_a_clear_refusal(text: str, check: Callable[[str], object]) -> None:
    refusals: list[str] = []
    try:
        check(text)
    except Invalid as refused:
        refusals.append(refused.detail)
    assert all(refusal.startswith("address: ") for refusal in refusals)
