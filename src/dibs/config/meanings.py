"""What every key of the configuration means, in a sentence; the reference page shows them."""

from __future__ import annotations

_TOP = """
data_dir: Where the embedded database and everything else of this installation lies.
database.url: A PostgreSQL 15 or newer to use; empty: the embedded one under `data_dir`.
database.pool_size: The most connections that one process opens.
database.lock_timeout_s: How long a statement waits for a lock before it is given up.
http.host: The address to listen on.
http.port: The port to listen on; 0 takes a free one.
http.public_url: How people reach this installation; links in notices begin with it.
http.allow_private_targets: Whether providers and webhooks may lie on private addresses; for tests and closed networks.
http.public_feed: Whether the feed of openings can be read without a token.
http.trusted_proxies: The addresses of proxies whose `X-Forwarded-For` is believed.
http.request_timeout_s: How long a request may take before it is answered with 503.
auth.admin_token: A token with all scopes; empty: one is made at the first start and shown once.
telemetry.log_level: The least important lines that are written.
telemetry.log_format: Lines for machines or for people; `auto` asks whether somebody looks.
telemetry.otlp_endpoint: Where traces are sent; empty: nowhere.
retention.snapshot_days: How long it is kept how each look at a provider went.
retention.event_days: How long openings and closings are kept.
retention.line_days: How long places in line and offers are kept after they ended and their date is over.
"""
_PROVIDERS = """
providers.NAME.kind: Which adapter speaks with it.
providers.NAME.base_url: Where the service answers.
providers.NAME.api_key: The key that the service asks for.
providers.NAME.auth_token: The token of an account there, if it is needed.
providers.NAME.user_agent: What we call ourselves there.
providers.NAME.party_sizes: For how many guests is looked; each costs a request.
providers.NAME.bounding_box: The area: south, west, north, east.
providers.NAME.window_days: So many days, from yesterday on, are watched by themselves; 0: only what is asked for.
providers.NAME.time_slots: The times of day that are looked at, with `window_days`.
providers.NAME.timezone: The local time of the places.
providers.NAME.per_page: How many places are asked for at once.
providers.NAME.max_pages: After so many pages the answer counts as partial.
providers.NAME.record_dir: Where raw answers are kept, compressed, for `dibs replay`; empty: nowhere.
providers.NAME.catalog_only: Whether open sections that the catalog does not know are left out.
providers.NAME.catalog_interval_s: How often the catalog is read anew.
providers.NAME.url: The address of the answer; `{name}` is filled in from the watch.
providers.NAME.slots: A JMESPath expression that makes slots of the answer.
providers.NAME.headers: Headers of every request.
providers.NAME.cadence.interval_s: How often each watch looks.
providers.NAME.cadence.jitter: How much an interval may differ, as a share of it.
providers.NAME.cadence.adaptive: Whether watches look more often while much happens.
providers.NAME.cadence.min_interval_s: The shortest interval.
providers.NAME.cadence.max_interval_s: The longest interval.
providers.NAME.pace.workers: The most requests at once, over all processes.
providers.NAME.pace.gap_ms: The least time between two requests of one lane.
providers.NAME.pace.degraded_workers: The most requests at once while the service struggles.
providers.NAME.pace.degraded_gap_ms: The least time between two requests while it struggles.
providers.NAME.pace.pause_s: How long nothing is asked after it refused us.
providers.NAME.pace.recover_after: So many good answers in a row end the caution.
providers.NAME.pace.soft_outage_pause_s: How long nothing is asked after an answer that is suddenly empty.
providers.NAME.pace.timeout_s: How long an answer is waited for.
providers.NAME.policy.open_rule: Whether every slot is an opening, or only the first of a place that had none.
providers.NAME.policy.misses_to_close: After so many looks without it a slot is closed.
providers.NAME.policy.dedupe_s: Within this time the same slot is not told again.
providers.NAME.policy.close_clears_dedupe: Whether a real close lets the next opening be told at once.
providers.NAME.policy.gate_drop_ratio: When this share goes missing at once, the answer is suspected.
providers.NAME.policy.gate_min_drop: Fewer missing than this are not suspected, unless nothing is left.
providers.NAME.policy.gate_confirm_samples: So many answers that agree are believed.
providers.NAME.policy.gate_confirm_s: For so long they must agree.
"""
_TELLING = """
channels.email.host: The mail relay.
channels.email.port: Its port.
channels.email.username: The account there; empty: none.
channels.email.password: Its password.
channels.email.starttls: Whether the connection is encrypted after it began.
channels.email.timeout_s: How long the relay is waited for.
channels.email.max_in_flight: The most mails at once, per process.
channels.email.from: The sender of every mail.
channels.webhook.timeout_s: How long an endpoint is waited for.
channels.webhook.max_in_flight: The most webhooks at once, per process.
channels.webhook.max_per_host: The most of them to one host.
channels.apprise.schemes: Which kinds of Apprise addresses are allowed.
channels.apprise.timeout_s: How long one send may take.
channels.apprise.max_in_flight: The most sends at once, per process.
notify.retry_delays_s: How long is waited before each further try.
notify.max_attempts: After so many tries a notice has failed.
notify.lock_ttl_s: How long a worker may keep a notice; then another takes it.
notify.expire_after_s: A notice that is older than this is not sent any more.
notify.retention_days: How long notices are kept.
notify.public_subscribe: Whether people can subscribe and take places in line without a token.
notify.max_per_topic: The most live subscriptions of one topic; 0: any number.
notify.verify_email: Whether an address is told nothing before its owner confirmed it.
notify.batch: How many notices are claimed at once.
notify.suppress_after_days: An address that failed for so long is left alone.
notify.wave_size: How many people are told at once; 0: all.
notify.wave_s: The time between two waves.
"""
_OWN = """
signals.cadences: Names of schedules with their seconds, beside `1min`, `5min`, `15min` and `30min`.
signals.retention_days: How long signals of past dates are kept.
signals.audit_interval_s: How often the cache is compared with the truth.
capacity.hold_ttl_s: How long tables are held, where neither the floor nor the caller says otherwise.
capacity.sweep_interval_s: How often expired holds are put away; they block nobody before that either.
capacity.max_holds_per_token: The most live holds of one token.
capacity.max_holds_per_booking: The most live holds of one booking.
offers.hold_ttl_s: How long what is offered is kept for a person in line.
offers.max_lapses: Who lets so many offers lapse leaves the line.
offers.max_passed: Who was passed over so often comes first.
offers.first_for_s: For how long they come first.
"""
_SEARCHING = """
demand.low_result_threshold: Fewer results than this are too few.
demand.min_viewport_miles: A narrower view is recorded and not collected for.
demand.max_community_km: How far away a community may be to speak for a view.
demand.max_targets: The most terms of one search that are followed.
demand.max_waiting: With so many requests waiting, others are put off.
demand.max_batches: With so many batches under way, others are put off.
wanted.enabled: Whether what is looked for often is watched by itself.
wanted.occurrences: How often it must have been looked for.
wanted.window_days: Within so many days.
wanted.look_again_s: How long until a place that no provider knew is looked for again.
wanted.days_ahead: So many days from today a wanted place is watched.
collect.extractor: What reads names out of texts.
collect.candidates_per_run: The most unknown names of one run that are looked up; 0: none.
collect.reddit.api_base: Where the API answers.
collect.reddit.auth_base: Where tokens are given out.
collect.reddit.client_id: The application's id; empty: nothing can be collected.
collect.reddit.client_secret: Its secret.
collect.reddit.user_agent: What we call ourselves there.
collect.reddit.requests_per_minute: The most requests in a minute, over all processes.
collect.reddit.search_gap_s: The least time between two searches.
collect.reddit.page_gap_s: The least time between two pages.
collect.reddit.timeout_s: How long an answer is waited for.
collect.reddit.posts_per_sort: The most posts of one search.
collect.reddit.comments_per_post: The most comments of one post.
collect.reddit.more_requests_per_post: The most requests for comments that were left out of the first answer.
collect.google_places.base_url: Where the service answers.
collect.google_places.api_key: The key; empty: names are not looked up.
collect.google_places.daily_quota: The most requests in a day; 0: any number.
collect.google_places.refresh_days: After so many days a place is looked up again.
collect.google_places.timeout_s: How long an answer is waited for.
"""


def _read(*texts: str) -> dict[str, str]:
    pairs = (line.partition(": ") for text in texts for line in text.strip().splitlines())
    return {path: meaning for path, _, meaning in pairs}


# Path of the key → its meaning.
MEANINGS = _read(_TOP, _PROVIDERS, _TELLING, _OWN, _SEARCHING)
