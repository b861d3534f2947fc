"""Entity tags: how a state is named, and what requests make depend on that name.

A tag is the game's version and the view, such as `"43-s2"` or `"43-p"`; not the token, so
a new token leaves what a client has kept valid.
"""

import re
from typing import Final

from flask import request

from service.command_request import Guard
from service.game import Game
from service.schemas.responses import Viewer

_TAG: Final = re.compile(r'(?:W/)?"([0-9]{1,9})-(?:p|s(?:[0-9]|10))"', re.ASCII)


def etag(game: Game, viewer: Viewer) -> str:
    """Return the tag of *game* as *viewer* sees it."""
    return f'"{game.version}-{viewer.tag}"'


def is_known(tag: str) -> bool:
    """Return whether the client says it has *tag*; odd values match nothing."""
    tags = {one.strip() for one in request.headers.get("If-None-Match", "").split(",")}
    return not tags.isdisjoint({tag, f"W/{tag}", "*"})


def match_guard() -> Guard:
    """Return the guard that the request's `If-Match` stands for."""
    return Guard(match=_matches if "If-Match" in request.headers else None)


def _matches(version: int) -> bool:
    given = request.headers["If-Match"]
    tags = [tag.strip() for tag in given.split(",")]
    # Only the number in a tag is compared: the view it was read through does not matter.
    found = [match.group(1) for match in map(_TAG.fullmatch, tags) if match]
    return "*" in tags or str(version) in found
