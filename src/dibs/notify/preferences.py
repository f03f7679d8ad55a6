"""What a subscriber may wish, checked: a mistake is named by its field."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from typing import Any, cast

from dibs.errors import Invalid
from dibs.notify.model import Preferences, Window
from dibs.notify.windows import zone

CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
LOCALE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
MOST_NOTIFICATIONS = 1_000_000
LONGEST_TOPIC = 500
INVISIBLE = re.compile(r"[\x00-\x1f\x7f]")


def check_topic(topic: str) -> str:
    """A topic as events carry them."""
    topic = topic.strip()
    if not topic:
        raise Invalid("topic: it is empty; use for example 'watch:soc:92025:NB'.", field="topic")
    if len(topic) > LONGEST_TOPIC:
        raise Invalid(f"topic: it is longer than {LONGEST_TOPIC} characters.", field="topic")
    if INVISIBLE.search(topic):
        raise Invalid("topic: it contains a control character.", field="topic")
    kind, _, rest = topic.partition(":")
    if kind in ("slot", "group", "watch") and (":" not in rest or not all(rest.partition(":")[::2])):
        raise Invalid(f"topic: '{kind}:' is followed by a provider, a colon and a key.", field="topic")
    return topic


def check_locale(locale: str | None) -> str:
    """A language tag such as `en` or `de-AT`."""
    if locale is None:
        return "en"
    if len(locale) > 35 or not LOCALE.fullmatch(locale):
        raise Invalid("locale: it should be a language tag such as 'en' or 'de-AT'.", field="locale")
    return locale


def merge(before: Preferences, wishes: dict[str, Any]) -> Preferences:
    """The preferences with what `wishes` names replaced; null clears a wish."""
    unknown = sorted(set(wishes) - {"delivery_window", "max_notifications", "snooze_until"})
    if unknown:
        raise Invalid(f"preferences: there is no {unknown[0]!r}.", field=f"preferences.{unknown[0]}")
    window, most, snooze = before.window, before.max_notifications, before.snooze_until
    if "delivery_window" in wishes:
        window = _window(wishes["delivery_window"])
    if "max_notifications" in wishes:
        most = _most(wishes["max_notifications"])
    if "snooze_until" in wishes:
        snooze = _moment(wishes["snooze_until"])
    return Preferences(window, most, snooze)


def _window(value: Any) -> Window | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Invalid(
            "preferences.delivery_window: it is {start, end, timezone} or null.",
            field="preferences.delivery_window",
        )
    fields = cast("dict[str, Any]", value)
    unknown = sorted(set(fields) - {"start", "end", "timezone"})
    if unknown:
        raise Invalid(
            f"preferences.delivery_window: there is no {unknown[0]!r}.",
            field=f"preferences.delivery_window.{unknown[0]}",
        )
    name = fields.get("timezone")
    if not isinstance(name, str):
        raise Invalid(
            "preferences.delivery_window.timezone: the IANA name of a zone is needed, as 'America/New_York'.",
            field="preferences.delivery_window.timezone",
        )
    zone(name)
    return Window(_clock(fields, "start"), _clock(fields, "end"), name)


def _clock(fields: dict[str, Any], name: str) -> time:
    value = fields.get(name)
    if not isinstance(value, str) or not CLOCK.fullmatch(value):
        raise Invalid(
            f"preferences.delivery_window.{name}: a local time such as '08:00' is needed.",
            field=f"preferences.delivery_window.{name}",
        )
    return time.fromisoformat(value)


def _most(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_NOTIFICATIONS:
        raise Invalid(
            "preferences.max_notifications: a whole number from 1 on, or null for no limit.",
            field="preferences.max_notifications",
        )
    return value


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            value = None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise Invalid(
            "preferences.snooze_until: a moment with its offset such as '2026-03-01T08:00:00Z', or null.",
            field="preferences.snooze_until",
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise Invalid(
            "preferences.snooze_until: it is outside the calendar.", field="preferences.snooze_until"
        ) from None
