"""The events of the line."""

from __future__ import annotations

from dibs.telemetry.catalogue import event

JOINED = event("offers.place.joined", "Somebody took a place in line.")
LEFT = event("offers.place.left", "A place left the line; the reason says why.")
OFFERED = event("offers.offer.made", "Room that opened is kept for the first in line whom it fits.")
CLAIMED = event("offers.offer.claimed", "A person claimed what was kept for them.")
OFFER_ENDED = event("offers.offer.ended", "An offer was declined, lapsed or withdrawn; the next is asked.")
LINE_CLOSED = event("offers.line.closed", "Everybody left a line because its product is gone or stands on a floor now.")
PLACES_PRUNED = event("offers.places.pruned", "Places and offers past their retention were removed.")
