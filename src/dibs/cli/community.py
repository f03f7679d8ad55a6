"""`dibs community`: the places that demand is collected in."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer
from rich.table import Table

from dibs.cli.run import AsJson, ConfigFile, out, with_parts
from dibs.parts import Parts
from dibs.places.geo import Point
from dibs.places.model import Community

app = typer.Typer(no_args_is_help=True, help="Communities: add, list, sample.")

Key = Annotated[str, typer.Argument(help="The subreddit's name.")]
# Typer takes a leading minus for an option; these are options so that -97.74 can be given.
Latitude = Annotated[float, typer.Option(help="The centre's latitude.")]
Longitude = Annotated[float, typer.Option(help="The centre's longitude.")]


@app.command()
def add(
    key: Key,
    lat: Latitude,
    lng: Longitude,
    active: Annotated[bool, typer.Option("--active/--inactive", help="Whether searches are located there.")] = True,
    posts_per_day: Annotated[float | None, typer.Option(help="A start, until it is sampled.")] = None,
    config: ConfigFile = None,
) -> None:
    """Make a community, or change it."""

    async def work(parts: Parts) -> Community:
        return await parts.communities.put(key, Point(lat, lng), active=active, posts_per_day=posts_per_day)

    out.print(_line(with_parts(config, work)), highlight=False, markup=False)


@app.command()
def sample(key: Key, config: ConfigFile = None) -> None:
    """Sample a community's activity now, from its newest posts."""

    async def work(parts: Parts) -> Community:
        community = await parts.communities.get(key)
        await parts.sampler.now(community.location_key)
        return await parts.communities.get(key)

    out.print(_line(with_parts(config, work)), highlight=False, markup=False)


@app.command(name="list")
def list_(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List the communities."""

    async def work(parts: Parts) -> list[Community]:
        return await parts.communities.list(limit=500)

    found = with_parts(config, work)
    if as_json:
        out.print_json(msgspec.json.encode(found).decode())
        return
    table = Table("key", "centre", "active", "posts a day", "safe interval", "sampled", "error")
    for one in found:
        table.add_row(
            one.location_key,
            f"{one.lat:.4f}, {one.lng:.4f}",
            "yes" if one.active else "no",
            "–" if one.posts_per_day is None else f"{one.posts_per_day:.1f}",
            f"{one.safe_interval_days:.1f} days",
            f"{one.sampled_at:%Y-%m-%d %H:%M} UTC" if one.sampled_at else "–",
            one.sample_error or "",
        )
    out.print(table)


def _line(community: Community) -> str:
    rate = "not sampled yet" if community.posts_per_day is None else f"{community.posts_per_day:.1f} posts a day"
    return f"{community.location_key}: {rate}, safe interval {community.safe_interval_days:.1f} days"
