"""The directory of games: what it knows of each, and in which of its lists a game stands.

A list is for one group of games, those that began here, forks, imports, each by where their
deals come from and whether they are for practice; within it for a status or any, and for one
more thing that can be asked for. So whoever asks for a group, a status and one thing more
reads a list from its beginning, and nothing that is not asked for. For more than that, the
list of the rarest thing is read, and what else is asked for is looked up in its lines.

An app has lists of its games that are over, in the order of their ends, whoever may see those.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from engine.commands import FORK, IMPORT
from engine.state import Status
from engine.table_data import COMMITTED

APART: Final = (FORK, IMPORT)
"""Kinds of origin whose games are listed only where they are asked for."""

LAST_STEP_MS: Final = 10_000
"""How far the place of a running game in the order of last events may lag behind."""

OVER: Final = (Status.FINISHED.value, Status.ABORTED.value)
"""The statuses of games that are over."""

_ANY: Final = "*"
_BY_LAST: Final = ">"
_HASH_BYTES: Final = 8


class Line(msgspec.Struct, array_like=True, frozen=True):
    """What the directory knows of a game; a later field gets a default."""

    status: str
    preset: str
    seats: list[tuple[str | None, bool]]
    """For each seat the name, None until somebody sits there, and whether it is a bot's."""
    practice: bool = False
    origin: tuple[str, str, int | None] | None = None
    dealing: str = COMMITTED
    created_at: int = 0
    metadata: dict[str, str] = {}
    clock: bool = False

    @property
    def open_seats(self) -> list[int]:
        """The human seats that nobody has claimed."""
        return [
            seat for seat, (name, is_bot) in enumerate(self.seats) if name is None and not is_bot
        ]

    @property
    def has_bots(self) -> bool:
        """Whether a seat is a bot's."""
        return any(is_bot for _, is_bot in self.seats)

    @property
    def kind(self) -> str | None:
        """The kind of the game's origin, None if it began here."""
        return None if self.origin is None else self.origin[0]


class App(NamedTuple):
    """What an application calls a game's players, and the name of it; None is no one's."""

    name: str | None = None
    players: Sequence[str] = ()


class Wanted(NamedTuple):
    """Which games are asked for; None stands for any, and no *statuses* for all of them.

    Without an *origin* those that are kept apart are not meant, nor is practice unless it is
    asked for. *player* and *metadata* are those of the application *app*.
    """

    statuses: Sequence[str] = ()
    origin: str | None = None
    dealing: str = COMMITTED
    practice: bool | None = None
    preset: str | None = None
    seat_count: int | None = None
    open_seats_min: int | None = None
    has_bots: bool | None = None
    app: str | None = None
    player: str | None = None
    metadata: Mapping[str, str] = {}

    def fits(self, line: Line) -> bool:
        """Return whether the game of *line* is asked for, as far as a line can say."""
        return (
            (not self.statuses or line.status in self.statuses)
            and _group_of(self) in _groups(line)
            and self.preset in {None, line.preset}
            and self.seat_count in {None, len(line.seats)}
            and len(line.open_seats) >= (self.open_seats_min or 0)
            and self.has_bots in {None, line.has_bots}
            and self.metadata.items() <= line.metadata.items()
        )


def lists_of(line: Line, app: App, last_event_at: int) -> dict[str, int]:
    """Return in which lists the game of *line* stands, each with its place there in ms."""
    statuses = (line.status, _ANY)
    things = ["", *_things(line)]
    groups = [f"{group}.{status}" for group in _groups(line) for status in statuses]
    named = [f"{one}.{status}" for one in _named(line, app) for status in statuses]
    places = {f"{group}{thing}": line.created_at for group in groups for thing in things}
    places |= dict.fromkeys(named, line.created_at)
    return places | {f"{one}{_BY_LAST}": last_event_at for one in (*groups, *named)}


def lists_for(wanted: Wanted, *, by_last: bool) -> list[str]:
    """Return the lists to read for what is *wanted*; no game is in two of them.

    *by_last* they are in the order of last events, else in that of creation.
    """
    named = _wanted_name(wanted)
    if named is not None:
        front, thing = named, ""
    else:
        front, thing = _group_of(wanted), next(_wanted_things(wanted), "")
    end = _BY_LAST if by_last else thing
    return [f"{front}.{status}{end}" for status in wanted.statuses or [_ANY]]


def ends_of(line: Line, app: App, last_event_at: int) -> dict[str, int]:
    """Return in which lists of ends the game of *line* stands, with its place there in ms."""
    if app.name is None or line.status not in OVER:
        return {}
    names = [_ends(app.name), *(_ends(app.name, one) for one in dict.fromkeys(app.players))]
    return {f"{name}.{line.status}": last_event_at for name in names}


def ends_for(app: str, player: str | None, statuses: Sequence[str]) -> list[str]:
    """Return the lists of the games of *app* that are over, by their ends.

    They are those of *player*, None for anybody's, and of *statuses* in `OVER`, all if there
    are none. No game is in two of them.
    """
    name = _ends(app) if player is None else _ends(app, player)
    return [f"{name}.{status}" for status in statuses or OVER]


def _ends(app: str, *player: str) -> str:
    return _name(app, "ends", *player)


def count_of(line: Line) -> dict[str, int]:
    """Return the list in which every game of that status stands, whoever may see it."""
    return {counted(line.status): line.created_at}


def counted(status: str) -> str:
    """Return the list of all games of *status*; it is there to be counted, and nobody reads it."""
    return f"all.{status}"


def _groups(line: Line) -> list[str]:
    practice = str(int(line.practice))
    kind = line.kind
    mine = [] if kind in APART else [_group(_ANY, line.dealing, practice)]
    if kind is None:
        return mine
    return mine + [_group(kind, line.dealing, one) for one in (practice, _ANY)]


def _group_of(wanted: Wanted) -> str:
    if wanted.practice is not None:
        practice = str(int(wanted.practice))
    else:
        # Most forks are for practice: who asks for forks means those, too.
        practice = "0" if wanted.origin is None else _ANY
    return _group(wanted.origin or _ANY, wanted.dealing, practice)


def _group(kind: str, dealing: str, practice: str) -> str:
    return f"{kind}.{dealing}.{practice}"


def _things(line: Line) -> Iterator[str]:
    yield f".preset={line.preset}"
    yield f".seats={len(line.seats)}"
    yield f".bots={int(line.has_bots)}"
    for least in range(1, len(line.open_seats) + 1):
        yield f".open={least}"


def _wanted_things(wanted: Wanted) -> Iterator[str]:
    # What few games have comes first.
    if wanted.open_seats_min:
        yield f".open={wanted.open_seats_min}"
    if wanted.preset is not None:
        yield f".preset={wanted.preset}"
    if wanted.seat_count is not None:
        yield f".seats={wanted.seat_count}"
    if wanted.has_bots is not None:
        yield f".bots={int(wanted.has_bots)}"


def _named(line: Line, app: App) -> Iterator[str]:
    if app.name is None:
        return
    for player in dict.fromkeys(app.players):
        yield _name(app.name, "player", player)
    for name, text in line.metadata.items():
        yield _name(app.name, "metadata", name, text)


def _wanted_name(wanted: Wanted) -> str | None:
    if wanted.app is None:
        return None
    if wanted.player is not None:
        return _name(wanted.app, "player", wanted.player)
    return next((_name(wanted.app, "metadata", *one) for one in wanted.metadata.items()), None)


def _name(app: str, *what: str) -> str:
    # Texts of strangers are no names of lists.
    text = json.dumps([app, *what]).encode()
    return "app." + hashlib.blake2b(text, digest_size=_HASH_BYTES).hexdigest()
