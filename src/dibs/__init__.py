"""dibs watches what is bookable, tells the right people once the moment it opens, and holds it for them.

The packages stand in the order in which a thing flows through them: `sources` read the outside world,
`watch` turns what they see into `openings`, `capacity` and `signals` do the same for own inventory,
`notify` tells people, `demand` records what nobody found, `offers` join the stages. `api`, `console`
and `cli` are faces without rules of their own.
"""
