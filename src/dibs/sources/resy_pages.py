"""The pages of one search, and what is known of pages that came before."""

from dataclasses import dataclass, field

from dibs.sources.body import digest, hash_of
from dibs.sources.model import Answer, Failure
from dibs.sources.resy_wire import page_count

MOST_PAGES_KNOWN = 4096


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page, with what it says about further ones."""

    body: bytes
    digest: bytes
    total: int | None
    hits: int

    def is_last(self, number: int, per_page: int) -> bool:
        """Where no page says how many there are, a short one is the last."""
        return number >= self.total if self.total is not None else self.hits < per_page


@dataclass(slots=True)
class Pages:
    """The pages of one look as they come in."""

    pages: list[SearchPage] = field(default_factory=list[SearchPage])
    labels: list[str] = field(default_factory=list[str])
    trouble: list[Failure] = field(default_factory=list[Failure])
    capped: bool = False

    def answer(self) -> Answer | Failure:
        if not self.pages:
            return self.trouble[0]
        reason = self.trouble[0].reason if self.trouble else "page_cap" if self.capped else ""
        return Answer(
            tuple(page.body for page in self.pages),
            hash_of(page.digest for page in self.pages),
            tuple(self.labels),
            whole=not reason,
            reason=reason,
            requests=len(self.pages),
            trouble=self._worst,
        )

    @property
    def _worst(self) -> Failure | None:
        """What speaks for the whole provider comes before what happened to one page."""
        loud = (one for one in self.trouble if one.releases_claims)
        return next(loud, self.trouble[0] if self.trouble else None)


class PagesKnown:
    """What pages say about further ones, by their digest: a page that comes again unchanged is not parsed."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int | None, int]] = {}

    @property
    def remembered(self) -> int:
        return len(self._known)

    def read(self, body: bytes) -> SearchPage:
        """Raises `msgspec.DecodeError` for a body that is no page."""
        own = digest(body)
        known = self._known.get(own)
        if known is None:
            known = page_count(body)
            if len(self._known) >= MOST_PAGES_KNOWN:
                self._known.pop(next(iter(self._known)))
            self._known[own] = known
        return SearchPage(body, own, *known)
