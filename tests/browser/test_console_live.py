"""Just opened: what opens appears by itself, what is gone is marked, filters stay in the address."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

from playwright.sync_api import Locator, Page, expect

from browser_harness import Person, Site, wait_until


def name(words: str) -> str:
    """A title that no other test uses: the server is shared."""
    return f"{words} {uuid4().hex[:8]}"


def line_of(page: Page, title: str) -> Locator:
    """The line of an opening; the same words are also told to those who listen."""
    return page.locator(".dibs-live-list li", has_text=title)


def test_an_opening_appears_without_a_reload(staff: Person) -> None:
    title = name("Upper Pines 42")
    page = staff.go("/openings")
    page.evaluate("() => { window.notReloaded = true }")
    expect(line_of(page, title)).to_have_count(0)
    staff.site.opens(title, url="https://camps.example/42")
    line = line_of(page, title)
    expect(line).to_be_visible()
    expect(line.locator(".dibs-badge")).to_contain_text("open")
    link = line.get_by_role("link", name=f"Book: {title}")
    expect(link).to_have_attribute("href", "https://camps.example/42")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    staff.site.opens(title, closes=True)
    expect(line.locator(".dibs-badge")).to_contain_text("gone")
    assert page.evaluate("() => window.notReloaded")
    assert staff.outside == []
    assert staff.mistakes == []


def test_what_a_provider_sent_stays_text(staff: Person) -> None:
    title = name("<img src=x onerror=\"document.title='taken'\">${1+1}{{ 7*7 }}`</script><script>1</script>")
    staff.site.opens(title, url="javascript:document.title='taken'", starts_at="<b>soon</b>")
    page = staff.go("/openings")
    line = line_of(page, title)
    expect(line).to_be_visible()
    expect(line).to_contain_text("<b>soon</b>")
    expect(line.get_by_role("link", name="Book")).to_have_count(0)
    assert page.locator("img[src=x]").count() == 0
    expect(page).to_have_title("Just opened · dibs")
    # The same text arriving while one looks goes another way than the first page.
    late = name("<img src=x onerror=\"document.title='taken'\">")
    staff.site.opens(late)
    expect(line_of(page, late)).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    assert staff.mistakes == []


def test_filters_are_kept_in_the_address(staff: Person) -> None:
    open_title, gone_title, other = name("stays"), name("goes"), name("elsewhere")
    staff.site.opens(open_title)
    staff.site.opens(gone_title)
    staff.site.opens(gone_title, closes=True)
    staff.site.opens(other, provider="lots")
    page = staff.go("/openings")
    expect(line_of(page, gone_title)).to_be_visible()
    page.get_by_label("Provider").select_option("camps")
    expect(line_of(page, other)).to_have_count(0)
    page.get_by_label("Only what is still open").check()
    expect(line_of(page, gone_title)).to_have_count(0)
    expect(line_of(page, open_title)).to_be_visible()
    expect(page).to_have_url(re.compile(r"provider=camps.*open=1|open=1.*provider=camps"))
    page.reload()
    expect(page.get_by_label("Provider")).to_have_value("camps")
    expect(page.get_by_label("Only what is still open")).to_be_checked()
    expect(line_of(page, open_title)).to_be_visible()
    expect(line_of(page, gone_title)).to_have_count(0)


def test_an_empty_list_says_what_to_do(staff: Person) -> None:
    page = staff.go(f"/openings?q={uuid4().hex}")
    expect(page.get_by_text("Nothing has opened yet")).to_be_visible()
    expect(page.get_by_text("dibs watch add")).to_be_visible()


def test_times_are_the_readers_own(site: Site, at_browser: Callable[..., Person]) -> None:
    title = name("Concert")
    site.opens(title, starts_at="2031-07-01T18:30:00Z")
    for zone, shown, called in (
        ("Asia/Tokyo", "Jul 2, 2031, 03:30 AM", "Asia/Tokyo"),
        ("America/New_York", "Jul 1, 2031, 02:30 PM", "America/New_York"),
    ):
        person = at_browser(site, timezone_id=zone)
        page = person.sign_in("/openings")
        line = line_of(page, title)
        moment = line.locator("time").nth(1)
        expect(moment).to_have_text(shown)
        expect(moment).to_have_attribute("datetime", re.compile("^2031-07-01T18:30:00"))
        expect(moment).to_have_attribute("title", re.compile(called))


def test_a_lost_connection_is_said_and_mended(new_site: Callable[[], Site], at_browser: Callable[..., Person]) -> None:
    site = new_site()
    person = at_browser(site)
    page = person.sign_in("/openings")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    site.stop(kill=True)
    expect(page.locator("#dibs-lost")).to_contain_text("Connection lost at")
    expect(page.get_by_text("Not live")).to_be_visible()
    person.picture("connection-lost")
    title = name("While you were away")
    site.opens(title)
    site.start()
    expect(line_of(page, title)).to_be_visible()
    expect(page.locator("#dibs-lost")).to_be_hidden()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def test_what_opens_at_a_provider_appears_by_itself(staff: Person) -> None:
    # Only the worker polls here; the test waits for what the page shows.
    site, park = staff.site, uuid4().hex[:8]
    there, opens = name("Site 1"), name("Site 2")
    more = {"url": "https://camps.example/2", "starts_at": "2031-07-01T18:30:00Z"}
    site.provider.show(park, there, **more)
    watch = site.api("POST", "/api/watches", {"provider": "camps", "query": {"park": park}})
    page = staff.go(f"/openings?watch={watch['key']}")
    expect(page.get_by_text("Nothing has opened yet")).to_be_visible()
    wait_until(lambda: site.api("GET", f"/api/watches/{watch['key']}")["last_good_at"])
    site.provider.show(park, there, opens, **more)
    line = line_of(page, opens)
    expect(line).to_be_visible()
    expect(line.get_by_role("link", name=f"Book: {opens}")).to_be_visible()
    expect(line_of(page, there)).to_have_count(0)
    site.provider.show(park, there, **more)
    expect(line.locator(".dibs-badge")).to_contain_text("gone")


def test_what_one_types_stays_while_the_page_changes(staff: Person) -> None:
    mark = uuid4().hex[:8]
    page = staff.go("/openings")
    field = page.get_by_label("Title")
    field.press_sequentially(mark[:4])
    staff.site.opens(f"First {mark}")
    expect(line_of(page, f"First {mark}")).to_be_visible()
    expect(field).to_have_value(mark[:4])
    field.press_sequentially(mark[4:])
    staff.site.opens(f"Second {mark}")
    expect(line_of(page, f"Second {mark}")).to_be_visible()
    expect(field).to_have_value(mark)
    expect(page).to_have_url(re.compile(f"q={mark}"))
    expect(page.locator(".dibs-live-list li")).to_have_count(2)
    page.reload()
    expect(field).to_have_value(mark)
