"""Demand becomes a watch, in the browser: one press, a question when it is not clear, and stopping."""

from __future__ import annotations

from uuid import uuid4

from playwright.sync_api import expect

from browser_harness import Person, Site, complaints

# A view so small that what is missed there is recorded and not queued: the site is shared with other tests.
AUSTIN = {"ne": {"lat": 30.268, "lng": -97.742}, "sw": {"lat": 30.266, "lng": -97.744}}


def looked_for(site: Site, name: str) -> None:
    site.api("PUT", "/api/communities/austinfood", {"center": {"lat": 30.2672, "lng": -97.7431}, "active": True})
    terms = [{"text": name, "entity_type": "restaurant"}]
    site.api("POST", "/api/search", {"query": "", "terms": terms, "bounds": AUSTIN})


def known(site: Site, *names: str) -> None:
    """The provider has these, and a paused watch or none would not do: the watch that saw them is there."""
    site.api("POST", "/api/watches", {"provider": "camps", "query": {"park": "tests"}})
    for name in names:
        site.opens(name, closes=True)


def test_one_press_watches_what_people_look_for(staff: Person, site: Site) -> None:
    name = f"Nopalito {uuid4().hex[:8]}"
    known(site, name)
    looked_for(site, name)
    page = staff.go("/demand")
    line = page.get_by_role("row").filter(has_text=name)
    line.get_by_role("button", name="Watch:").click()
    told = page.get_by_text(f"“{name}” is watched: {name} at camps (nobody asked yet).")
    expect(told).to_be_visible()
    expect(line).to_contain_text(f"{name} at camps")
    expect(line).to_contain_text("by hand, nobody asked")
    staff.picture("demand-watched")
    # The message goes away by itself; one that is fading has no contrast of its own.
    expect(told).to_have_count(0)
    assert complaints(page) == []
    line.get_by_role("button", name="Stop:").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop watching").click()
    expect(page.get_by_text(f"“{name}” is not watched any more")).to_be_visible()
    expect(line.get_by_role("button", name="Watch:")).to_be_visible()
    assert staff.mistakes == []


def test_a_person_says_which_of_several_it_is(staff: Person, site: Site) -> None:
    name = f"Lucia {uuid4().hex[:8]}"
    known(site, f"{name} Pizza", f"{name} Wine Bar")
    looked_for(site, name)
    page = staff.go("/demand")
    line = page.get_by_role("row").filter(has_text=name)
    line.get_by_role("button", name="Watch:").click()
    asked = page.get_by_role("dialog")
    expect(asked).to_contain_text("may be one of several places")
    asked.get_by_label("Place").select_option(label=f"{name} Wine Bar (camps {name} Wine Bar)")
    assert complaints(page) == []
    asked.get_by_role("button", name="Watch this one").click()
    expect(line).to_contain_text(f"{name} Wine Bar at camps")


def test_what_nobody_knows_is_told(staff: Person, site: Site) -> None:
    name = f"Unheard {uuid4().hex[:8]}"
    looked_for(site, name)
    page = staff.go("/demand")
    line = page.get_by_role("row").filter(has_text=name)
    line.get_by_role("button", name="Watch:").click()
    told = page.get_by_text(f"No provider was seen to have “{name}”")
    expect(told).to_be_visible()
    # It stays until it is closed, in the colour of its tone; white on that ground could not be read.
    expect(told).to_have_css("color", "rgb(179, 38, 30)")
    expect(line).to_contain_text("unknown")
