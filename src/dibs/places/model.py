"""Nouns of what exists."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dibs.places.geo import Point


class EntityType(StrEnum):
    """What an entity is."""

    RESTAURANT = "restaurant"
    FOOD = "food"
    FOOD_ATTRIBUTE = "food_attribute"
    RESTAURANT_ATTRIBUTE = "restaurant_attribute"


class EntityStatus(StrEnum):
    """Whether people see it."""

    KNOWN = "known"
    CANDIDATE = "candidate"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Community:
    """A subreddit that speaks for a city; its key is the location key of everything found there."""

    location_key: str
    lat: float
    lng: float
    active: bool
    posts_per_day: float | None
    activity_from: str | None
    safe_interval_days: float
    sampled_at: datetime | None
    sample_error: str | None
    due_at: datetime | None

    @property
    def center(self) -> Point:
        return Point(self.lat, self.lng)


@dataclass(frozen=True, slots=True)
class Entity:
    """Something people look for."""

    entity_id: int
    type: EntityType
    name: str
    location_key: str | None
    status: EntityStatus
    google_place_id: str | None
    lat: float | None
    lng: float | None
    mention_count: int
    mention_score: int
    last_mentioned_at: datetime | None
    aliases: list[str]

    @property
    def location(self) -> Point | None:
        return None if self.lat is None or self.lng is None else Point(self.lat, self.lng)


@dataclass(frozen=True, slots=True)
class NewEntity:
    """What shall exist; found if it does already."""

    type: EntityType
    name: str
    location_key: str | None = None
    status: EntityStatus = EntityStatus.KNOWN


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name or alias to look for in the texts of a community."""

    entity_id: int
    type: EntityType
    name: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A post or comment that names a restaurant, and perhaps a food or attribute with it."""

    restaurant_id: int
    subject_id: int | None
    source_id: str
    post_id: str
    score: int
    mentioned_at: datetime


@dataclass(frozen=True, slots=True)
class Post:
    """A post of a community; `post_id` is its full name (t3_…)."""

    post_id: str
    location_key: str
    title: str
    body: str
    permalink: str
    score: int
    comment_count: int
    posted_at: datetime


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment; `comment_id` is its full name (t1_…), `parent_id` that of what it answers."""

    comment_id: str
    post_id: str
    parent_id: str
    body: str
    score: int
    posted_at: datetime
