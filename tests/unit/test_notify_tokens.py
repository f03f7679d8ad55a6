"""Tokens: a link proves one purpose for one subscription."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dibs.notify.tokens import hash_token, link_token, linked_subscription, new_manage_token, owns, proves

KEY = hash_token("mng_one")


def test_a_link_proves_its_own_purpose_only() -> None:
    token = link_token(7, KEY, "unsubscribe")
    assert linked_subscription(token) == 7
    assert proves(token, 7, KEY, "unsubscribe")
    assert not proves(token, 7, KEY, "verify")
    assert not proves(token, 8, KEY, "unsubscribe")
    assert not proves(token, 7, hash_token("mng_two"), "unsubscribe")


def test_only_the_manage_token_owns_a_subscription() -> None:
    token = new_manage_token()
    assert owns(token, hash_token(token))
    assert not owns(token + "x", hash_token(token))
    assert not owns("", hash_token(token))
    assert not owns("x" * 10_000, hash_token("x" * 10_000)), "an absurd token is not even hashed"


@given(st.text(max_size=60))
def test_any_other_text_is_no_link(text: str) -> None:
    assert linked_subscription(text) is None or text.partition(".")[0].isascii()
