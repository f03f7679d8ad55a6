"""A schedule of classes: one flat list of the open sections of a term at a campus."""

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import msgspec

from dibs.config import SocProvider
from dibs.errors import Invalid
from dibs.sources.body import decoded, single
from dibs.sources.contract import Ask, DetectedBy
from dibs.sources.http import Request
from dibs.sources.model import Answer, Detail, Failure, Fault, Observation, Target, Validators

SEASONS = {"WI": "0", "SP": "1", "SU": "7", "FA": "9"}
TERM_DIGITS = frozenset(SEASONS.values())
CAMPUS = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
INDEX = re.compile(r"[0-9]{5}")
SLOT_KEY = re.compile(r"[0-9]{5}\|[A-Za-z][A-Za-z0-9_]{0,19}\|[0-9]{5}")
REGISTRATION = "https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas&semesterSelection={term}&indexList={index}"
INDEXES = msgspec.json.Decoder(list[str])
ANYTHING = msgspec.json.Decoder(list[Any])


class SocSource:
    """The provider of kind `soc`."""

    kind = "soc"
    detected_by: DetectedBy = "open_sections"
    asks: Mapping[str, str] = MappingProxyType({"term": "92025", "campus": "NB"})

    def __init__(self, name: str, config: SocProvider) -> None:
        self.name = name
        self._config = config

    def target(self, query: Mapping[str, Any]) -> Target:
        extra = sorted(set(query) - {"term", "campus"})
        if extra:
            raise Invalid(f"query.{extra[0]} is not known; soc takes term and campus.", field=f"query.{extra[0]}")
        term, campus = normal_term(query.get("term")), query.get("campus")
        if not isinstance(campus, str) or not CAMPUS.fullmatch(campus):
            raise Invalid("query.campus is needed, as NB, NK, CM, ONLINE_NB, …", field="query.campus")
        return Target(f"{term}:{campus}", {"term": term, "campus": campus})

    async def look(self, ask: Ask, target: Target, validators: Validators) -> Answer | Failure:
        return single(await ask(Request(self.url("openSections.json", target), validators=validators)))

    def url(self, document: str, target: Target) -> str:
        term = target.query["term"]
        parameters = urlencode({"year": term[1:], "term": term[0], "campus": target.query["campus"]})
        return f"{self._config.base_url.rstrip('/')}/{document}?{parameters}"

    def read(self, answer: Answer, target: Target) -> Observation | Failure:
        try:
            indexes, bad = _indexes(answer.bodies[0])
        except msgspec.DecodeError:
            return Failure(Fault.TRANSIENT, "not_a_list_of_sections")
        prefix = f"{target.query['term']}|{target.query['campus']}|"
        found = dict.fromkeys([prefix + index for index in indexes])
        return Observation(found=found, describe=self.named, nameless=bad)

    def named(self, slot_key: str) -> Detail:
        if not SLOT_KEY.fullmatch(slot_key):
            raise Invalid("slot_key is term|campus|index, as 92025|NB|01234.", field="slot_key")
        subject = self.subject(slot_key)
        index = subject["index_number"]
        payload = {
            "title": f"Section {index}",
            "starts_at": None,
            "url": REGISTRATION.format(term=subject["term_id"], index=index),
            "index_number": index,
        }
        return Detail(slot_key, index, subject, payload)

    def subject(self, slot_key: str) -> dict[str, Any]:
        term, campus, index = slot_key.split("|")
        return {"term_id": term, "campus_code": campus, "index_number": index}

    def target_date(self, target: Target) -> date | None:  # noqa: ARG002 -- a term is no day
        return None


def _indexes(body: bytes) -> tuple[list[str], int]:
    """The readable indexes, and how many entries were not."""
    try:
        entries: list[Any] = decoded(INDEXES.decode, body)
    except msgspec.ValidationError:
        entries = decoded(ANYTHING.decode, body)
    good = [entry for entry in entries if isinstance(entry, str) and INDEX.fullmatch(entry)]
    return good, len(entries) - len(good)


def normal_term(value: Any) -> str:
    """The term id as term digit + year: `92025`, also from `20259` and `FA2025`."""
    text = str(value).upper() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if re.fullmatch(r"(WI|SP|SU|FA)(19|20)\d\d", text):
        return SEASONS[text[:2]] + text[2:]
    if re.fullmatch(r"[0-9](19|20)\d\d", text) and text[0] in TERM_DIGITS:
        return text
    if re.fullmatch(r"(19|20)\d\d[0-9]", text) and text[4] in TERM_DIGITS:
        return text[4] + text[:4]
    raise Invalid("query.term is needed, as 92025 (term digit and year), 20259 or FA2025.", field="query.term")
