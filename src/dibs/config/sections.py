"""Every key of the configuration, with its type, bounds and default."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

Positive = Annotated[float, Meta(gt=0)]
# A watch that looks less than once a month watches nothing.
Interval = Annotated[float, Meta(gt=0, le=31 * 86_400)]
NotNegative = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
CountOrNone = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Port = Annotated[int, Meta(ge=0, le=65535)]
LocalTime = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]


class Section(Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """A table of the file; an unknown key in it is an error."""


class Database(Section, frozen=True):
    url: str = ""
    pool_size: Annotated[int, Meta(ge=2, le=200)] = 16
    lock_timeout_s: Positive = 30.0


class Http(Section, frozen=True):
    host: str = "127.0.0.1"
    port: Port = 8765
    public_url: str = ""
    allow_private_targets: bool = False
    public_feed: bool = True
    trusted_proxies: list[str] = []
    request_timeout_s: Positive = 30.0


class Auth(Section, frozen=True):
    admin_token: str = ""


class Cadence(Section, frozen=True):
    interval_s: Interval = 15.0
    jitter: Share = 0.3
    adaptive: bool = False
    min_interval_s: Interval = 10.0
    max_interval_s: Interval = 300.0


class Pace(Section, frozen=True):
    workers: Count = 10
    gap_ms: CountOrNone = 250
    degraded_workers: Count = 5
    degraded_gap_ms: CountOrNone = 500
    pause_s: NotNegative = 15.0
    recover_after: Count = 5
    soft_outage_pause_s: NotNegative = 30.0
    timeout_s: Positive = 12.0


class Policy(Section, frozen=True):
    open_rule: Literal["each", "group_from_zero"] = "each"
    misses_to_close: Annotated[int, Meta(ge=1, le=10)] = 1
    dedupe_s: CountOrNone = 180
    close_clears_dedupe: bool = False
    gate_drop_ratio: Share = 0.10
    gate_min_drop: Count = 25
    gate_confirm_samples: Count = 3
    gate_confirm_s: NotNegative = 300.0


class ResyPolicy(Policy, frozen=True):
    open_rule: Literal["each", "group_from_zero"] = "group_from_zero"
    dedupe_s: CountOrNone = 1800


class SocPolicy(Policy, frozen=True):
    misses_to_close: Annotated[int, Meta(ge=1, le=10)] = 2
    close_clears_dedupe: bool = True


class ResyPace(Pace, frozen=True):
    timeout_s: Positive = 20.0


class ResyProvider(Section, frozen=True, tag_field="kind", tag="resy"):
    base_url: str = "https://api.resy.com"
    api_key: str = ""
    auth_token: str = ""
    user_agent: str = "dibs/1"
    party_sizes: Annotated[list[Annotated[int, Meta(ge=1, le=100)]], Meta(min_length=1)] = field(
        default_factory=lambda: [2, 4]
    )
    bounding_box: Annotated[list[float], Meta(min_length=4, max_length=4)] = field(
        default_factory=lambda: [40.691, -74.030, 40.882, -73.910]
    )
    window_days: CountOrNone = 0
    time_slots: list[LocalTime] = field(default_factory=lambda: ["15:00", "20:30"])
    timezone: str = "America/New_York"
    per_page: Annotated[int, Meta(ge=1, le=1000)] = 100
    max_pages: Annotated[int, Meta(ge=1, le=1000)] = 5
    record_dir: str = ""
    cadence: Cadence = Cadence()
    pace: ResyPace = ResyPace()
    policy: ResyPolicy = ResyPolicy()

    @property
    def kind(self) -> str:
        return "resy"


class SocProvider(Section, frozen=True, tag_field="kind", tag="soc"):
    base_url: str = "https://classes.rutgers.edu/soc/api"
    catalog_only: bool = False
    catalog_interval_s: NotNegative = 900.0
    record_dir: str = ""
    cadence: Cadence = Cadence()
    pace: Pace = Pace()
    policy: SocPolicy = SocPolicy()

    @property
    def kind(self) -> str:
        return "soc"


class JsonProvider(Section, frozen=True, tag_field="kind", tag="json"):
    url: str
    slots: str
    headers: dict[str, str] = {}
    timezone: str = "UTC"
    record_dir: str = ""
    cadence: Cadence = Cadence()
    pace: Pace = Pace()
    policy: Policy = Policy()

    @property
    def kind(self) -> str:
        return "json"


Provider = ResyProvider | SocProvider | JsonProvider


class Email(Section, frozen=True, rename={"sender": "from"}):
    host: str = "127.0.0.1"
    port: Port = 25
    username: str = ""
    password: str = ""
    starttls: bool = False
    timeout_s: Positive = 20.0
    max_in_flight: Count = 8
    sender: str = "dibs@example.org"


class Webhook(Section, frozen=True):
    timeout_s: Positive = 10.0
    max_in_flight: Count = 64
    max_per_host: Count = 16


class Apprise(Section, frozen=True):
    schemes: list[str] = field(
        default_factory=lambda: ["discord", "gotify", "gotifys", "ntfy", "ntfys", "pover", "slack", "tgram"]
    )
    timeout_s: Positive = 20.0
    max_in_flight: Count = 8


class Channels(Section, frozen=True):
    email: Email = Email()
    webhook: Webhook = Webhook()
    apprise: Apprise = Apprise()


class Notify(Section, frozen=True):
    retry_delays_s: list[NotNegative] = field(default_factory=lambda: [0.0, 2.0, 7.0])
    max_attempts: Count = 3
    lock_ttl_s: Positive = 120.0
    expire_after_s: Positive = 3600.0
    retention_days: Count = 30
    public_subscribe: bool = False
    max_per_topic: CountOrNone = 0
    verify_email: bool = False
    batch: Count = 200
    suppress_after_days: Positive = 3.0
    wave_size: CountOrNone = 0
    wave_s: Positive = 60.0


DEFAULT_CADENCES: dict[str, float] = {"1min": 60.0, "5min": 300.0, "15min": 900.0, "30min": 1800.0}


class Signals(Section, frozen=True):
    cadences: dict[str, Positive] = {}
    retention_days: CountOrNone = 7
    audit_interval_s: Positive = 3600.0

    def schedule(self) -> dict[str, float]:
        """The cadences in force: the defaults, with the configured ones added or overriding."""
        return {**DEFAULT_CADENCES, **self.cadences}


class Capacity(Section, frozen=True):
    hold_ttl_s: Annotated[int, Meta(ge=30, le=600)] = 180
    sweep_interval_s: Positive = 5.0
    max_holds_per_token: Count = 200
    max_holds_per_booking: Count = 3


class Offers(Section, frozen=True):
    hold_ttl_s: Annotated[int, Meta(ge=30, le=600)] = 600
    max_lapses: Count = 2
    max_passed: Count = 3
    first_for_s: Positive = 1800.0


class Demand(Section, frozen=True):
    low_result_threshold: CountOrNone = 25
    min_viewport_miles: NotNegative = 1.7
    max_community_km: Positive = 80.0
    max_targets: Count = 5
    max_waiting: Count = 3
    max_batches: Count = 10


class Wanted(Section, frozen=True):
    # The rule; a person can watch what is wanted either way.
    enabled: bool = True
    occurrences: Count = 5
    # As many days as are counted apart.
    window_days: Annotated[int, Meta(ge=1, le=31)] = 7
    look_again_s: Positive = 900.0
    days_ahead: Annotated[int, Meta(ge=1, le=60)] = 7


class Reddit(Section, frozen=True):
    api_base: str = "https://oauth.reddit.com"
    auth_base: str = "https://www.reddit.com"
    client_id: str = ""
    client_secret: str = ""
    user_agent: str = "dibs/1"
    requests_per_minute: Count = 100
    search_gap_s: NotNegative = 1.2
    page_gap_s: NotNegative = 0.1
    timeout_s: Positive = 20.0
    posts_per_sort: Annotated[int, Meta(ge=1, le=1000)] = 1000
    comments_per_post: Annotated[int, Meta(ge=0, le=5000)] = 500
    more_requests_per_post: Annotated[int, Meta(ge=0, le=50)] = 5


class GooglePlaces(Section, frozen=True):
    base_url: str = "https://places.googleapis.com"
    api_key: str = ""
    daily_quota: CountOrNone = 0
    refresh_days: Count = 30
    timeout_s: Positive = 12.0


class Collect(Section, frozen=True):
    reddit: Reddit = Reddit()
    google_places: GooglePlaces = GooglePlaces()
    extractor: str = "deterministic"
    candidates_per_run: CountOrNone = 25


class Telemetry(Section, frozen=True):
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "json", "human"] = "auto"
    otlp_endpoint: str = ""


class Retention(Section, frozen=True):
    snapshot_days: Count = 14
    event_days: Count = 30
    line_days: Count = 30


class Config(Section, frozen=True):
    """The whole configuration."""

    data_dir: str = ".dibs"
    database: Database = Database()
    http: Http = Http()
    auth: Auth = Auth()
    providers: dict[str, Provider] = {}
    channels: Channels = Channels()
    notify: Notify = Notify()
    signals: Signals = Signals()
    capacity: Capacity = Capacity()
    offers: Offers = Offers()
    demand: Demand = Demand()
    wanted: Wanted = Wanted()
    collect: Collect = Collect()
    telemetry: Telemetry = Telemetry()
    retention: Retention = Retention()

    def changed(self, **sections: object) -> Config:
        """This configuration with some sections replaced."""
        return msgspec.structs.replace(self, **sections)

    @property
    def data_path(self) -> Path:
        return Path(self.data_dir)
