"""The door: who gets in, what the cookie holds, where one goes afterwards."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

from playwright.sync_api import expect

from browser_harness import ADMIN, Person, Site, in_a_loop
from dibs.access import create_token, revoke_token
from dibs.app import parts_on
from dibs.clock import SystemClock
from dibs.config import Config


def test_a_token_opens_the_door_and_leads_on(person: Person) -> None:
    page = person.page
    page.goto(f"{person.site.url}/openings?provider=camps")
    expect(page).to_have_title("Sign in · dibs")
    page.get_by_label("Token").fill(ADMIN)
    page.get_by_label("Token").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Just opened")
    expect(page).to_have_url(f"{person.site.url}/openings?provider=camps")
    expect(page).to_have_title("Just opened · dibs")
    assert page.locator("html").get_attribute("lang") == "en-US"
    assert person.mistakes == []


def test_a_wrong_token_is_refused_in_words(person: Person) -> None:
    page = person.page
    page.goto(f"{person.site.url}/")
    page.get_by_label("Token").fill("not-a-token")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not known")
    page.goto(f"{person.site.url}/openings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_the_cookie_holds_no_token_and_no_script_can_read_it(staff: Person) -> None:
    cookie = next(one for one in staff.context.cookies() if one.get("name") == "dibs_session")
    assert cookie.get("httpOnly")
    assert cookie.get("sameSite") == "Lax"
    content = json.loads(base64.b64decode(cookie.get("value", "").split(".")[0]))
    assert set(content) == {"id", "token_id"}
    assert ADMIN not in json.dumps(content)


def test_a_forged_cookie_is_no_session(person: Person) -> None:
    forged = base64.b64encode(json.dumps({"id": "x", "token_id": 1}).encode()).decode()
    person.context.add_cookies([{"name": "dibs_session", "value": f"{forged}.x.y", "url": person.site.url}])
    person.page.goto(f"{person.site.url}/")
    expect(person.page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_nobody_is_led_elsewhere(person: Person) -> None:
    page = person.page
    page.goto(f"{person.site.url}/sign-in?next=//evil.example/")
    page.get_by_label("Token").fill(ADMIN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert page.url.startswith(person.site.url)


def test_sign_out_ends_the_session(person: Person) -> None:
    page = person.sign_in("/openings")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.goto(f"{person.site.url}/openings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_a_revoked_token_signs_out(site: Site, at_browser: Callable[..., Person]) -> None:
    async def make() -> tuple[str, int]:
        async with parts_on(site.dsn, Config(), SystemClock()) as parts:
            secret, token = await create_token(parts.db, parts.clock, name="for a while", scope="read")
            return secret, token.token_id

    async def revoke(token_id: int) -> None:
        async with parts_on(site.dsn, Config(), SystemClock()) as parts:
            await revoke_token(parts.db, parts.clock, token_id)

    secret, token_id = in_a_loop(make())
    person = at_browser(site)
    page = person.sign_in("/openings", token=secret)
    expect(page.get_by_text("may: read")).to_be_visible()
    in_a_loop(revoke(token_id))
    page.goto(f"{site.url}/openings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def test_an_address_without_a_page_says_so(staff: Person) -> None:
    answer = staff.page.goto(f"{staff.site.url}/no-such-page")
    assert answer
    assert answer.status == 404
    expect(staff.page.get_by_role("heading", level=1)).to_have_text("There is no such page")
