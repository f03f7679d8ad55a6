"""Viewports and distances: the whole globe, its seams, and what is not on it."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dibs.errors import Invalid
from dibs.places.geo import (
    Bounds,
    Point,
    centre,
    check_bounds,
    check_point,
    contains,
    distance_km,
    nearest,
    reach_km,
    span_degrees,
    viewport_miles,
)

AUSTIN = Point(30.2672, -97.7431)
DALLAS = Point(32.7767, -96.7970)
points = st.builds(Point, st.floats(-90, 90), st.floats(-180, 180))


@st.composite
def viewports(draw: st.DrawFn) -> Bounds:
    south, north = sorted((draw(st.floats(-90, 90)), draw(st.floats(-90, 90))))
    bounds = Bounds(Point(north, draw(st.floats(-180, 180))), Point(south, draw(st.floats(-180, 180))))
    assume(not bounds.crosses_antimeridian or span_degrees(bounds) <= 180)
    return bounds


def box(north: float, east: float, south: float, west: float) -> Bounds:
    return Bounds(Point(north, east), Point(south, west))


@pytest.mark.parametrize(
    ("bounds", "middle"),
    [
        (box(31, -97, 30, -98), Point(30.5, -97.5)),
        (box(1, -179, -1, 179), Point(0, 180)),
        (box(1, -170, -1, 178), Point(0, -176)),
        (box(1, -178, -1, 170), Point(0, 176)),
        (box(30, -97, 30, -97), Point(30, -97)),
        (box(90, 180, -90, -180), Point(0, 0)),
    ],
)
def test_the_centre_also_across_the_antimeridian(bounds: Bounds, middle: Point) -> None:
    found = centre(check_bounds(bounds))
    assert found.lat == pytest.approx(middle.lat)
    assert found.lng == pytest.approx(middle.lng)


@pytest.mark.parametrize(
    ("bounds", "miles"),
    [
        (box(1, 1, -1, 0), 69.09),
        (box(61, 1, 59, 0), 69.09 / 2),
        (box(1, -179.5, -1, 179.5), 69.09),
        (box(30, -97, 30, -97), 0.0),
        (box(30.30, -97.72, 30.25, -97.72 - 1.7 / 69.09 / math.cos(math.radians(30.275))), 1.7),
        (box(90, 10, 90, -10), 0.0),
    ],
)
def test_the_width_is_measured_at_the_centre_latitude(bounds: Bounds, miles: float) -> None:
    assert viewport_miles(bounds) == pytest.approx(miles, abs=0.01)


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        (box(30, -97, 31, -98), "swapped"),
        (box(31, -98, 30, -97), "swapped"),
        (box(91, -97, 30, -98), "bounds.ne.lat"),
        (box(31, -97, -90.5, -98), "bounds.sw.lat"),
        (box(31, 180.1, 30, -98), "bounds.ne.lng"),
        (box(31, -97, 30, -181), "bounds.sw.lng"),
        (box(math.nan, -97, 30, -98), "bounds.ne.lat"),
        (box(31, math.inf, 30, -98), "bounds.ne.lng"),
    ],
)
def test_what_cannot_be_a_viewport_is_refused_by_name(bounds: Bounds, says: str) -> None:
    with pytest.raises(Invalid, match=says) as refused:
        check_bounds(bounds)
    assert refused.value.code == "invalid_request"


@pytest.mark.parametrize("point", [Point(90, 180), Point(-90, -180), Point(0, 0)])
def test_the_edges_of_the_earth_are_on_it(point: Point) -> None:
    assert check_point(point, "user_location") is point


@given(viewports())
def test_every_viewport_contains_its_centre(bounds: Bounds) -> None:
    check_bounds(bounds)
    # Float rounding may push the middle of a sliver over its edge by one step.
    assume(span_degrees(bounds) > 1e-6 or span_degrees(bounds) == 0)
    middle = centre(bounds)
    assert -180 <= middle.lng <= 180
    nudged = [middle, Point(middle.lat, middle.lng - 360), Point(middle.lat, middle.lng + 360)]
    assert any(contains(bounds, point) for point in nudged)


@given(viewports(), st.floats(0, 1), st.floats(0, 1))
def test_the_circle_of_the_index_covers_the_whole_viewport(bounds: Bounds, up: float, right: float) -> None:
    lat = bounds.sw.lat + (bounds.ne.lat - bounds.sw.lat) * up
    lng = bounds.sw.lng + span_degrees(bounds) * right
    inside = Point(min(bounds.ne.lat, lat), lng - 360 if lng > 180 else lng)
    assert distance_km(centre(bounds), inside) <= reach_km(bounds)


@given(points, points)
def test_distance_is_symmetric_and_bounded(a: Point, b: Point) -> None:
    assert distance_km(a, b) == pytest.approx(distance_km(b, a), abs=1e-6)
    assert 0 <= distance_km(a, b) <= 20016


def test_a_known_distance() -> None:
    assert distance_km(AUSTIN, DALLAS) == pytest.approx(293, abs=2)


def test_the_nearest_community_within_reach() -> None:
    places = [("austinfood", AUSTIN), ("dallasfood", DALLAS)]
    assert nearest(Point(30.5, -97.7), places, 80) == "austinfood"
    assert nearest(Point(32.9, -96.9), places, 80) == "dallasfood"
    assert nearest(Point(31.5, -97.2), places, 80) is None
    assert nearest(Point(31.5, -97.2), places, 400) is not None
    assert nearest(AUSTIN, [], 80) is None


def test_reach_is_inclusive_and_a_tie_goes_to_the_smaller_key() -> None:
    far = Point(30.2672 + math.degrees(80 / 6371.0088), -97.7431)
    assert nearest(far, [("austinfood", AUSTIN)], distance_km(far, AUSTIN)) == "austinfood"
    assert nearest(far, [("austinfood", AUSTIN)], distance_km(far, AUSTIN) - 0.001) is None
    assert nearest(AUSTIN, [("b_town", AUSTIN), ("a_town", AUSTIN)], 1) == "a_town"


def test_a_neighbour_across_the_antimeridian_is_near() -> None:
    assert nearest(Point(0, 179.9), [("fiji", Point(0, -179.9))], 80) == "fiji"
