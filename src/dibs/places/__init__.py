"""What exists, and where: communities, restaurants, foods, attributes, and who mentioned what.

**Authority.** `community` says which cities there are: a subreddit, its centre, how much is written there.
Its key, in lower case, is the *location key* of everything found there. `entity` says what is known. A
restaurant is one per (name, location key): the same name in two cities is two restaurants. A food or an
attribute is one for the whole world. Names are compared by `names.key_of`; the partial unique indexes
enforce it, and so does the unique `google_place_id`.

**Mentions** connect a restaurant with a food or an attribute, by the post or comment that said so.
`mention` is the truth; `connection` and the counters on `entity` are its sums, kept by the same statement
that writes it, so a search reads what it finds and never counts mentions.

    candidate --confirmed--> known        (a name found by pattern, and Places knows it nearby)
        └------no match----> rejected     (kept, so that it is not asked about again and again)

**Failure.** Reprocessing a source replaces its mentions, so it is idempotent. Two writers who find the same
new restaurant make one. A community is never deleted, only made inactive: then nothing new is located
there.
"""
