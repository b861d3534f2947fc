"""The list of games: what a page shows, and where the next one begins."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, request

from engine.commands import FORK, IMPORT, REMATCH
from engine.errors import CorruptLogError
from engine.presets import PRESETS
from engine.seats import FEWEST_SEATS, MOST_SEATS
from engine.state import Status
from engine.table_data import COMMITTED, SEEDED
from service import cursors, parameters
from service.auth import Forbidden, app_of_request
from service.directory import LAST_STEP_MS, Line, Wanted, lists_for
from service.marks import line_in
from service.names import METADATA_NAME, METADATA_TEXT, PLAYER_REF
from service.replies import LIVE, reply
from service.requests import deps
from service.schemas.responses import line_data
from service.store.base import Position, Row
from service.store.codec import decode
from service.store.envelope import Stored

bp = Blueprint("listing", __name__, url_prefix="/v1/games")

GAMES_PER_PAGE: Final = 100
_USUAL_PAGE: Final = 20
_READS: Final = 10
"""How many times a page looks further where few games of a list are asked for."""

CREATED: Final = "created_at"
LAST: Final = "last_event_at"
SORTS: Final = (f"-{CREATED}", CREATED, f"-{LAST}", LAST)
ORIGINS: Final = (FORK, IMPORT, REMATCH)
_OF_AN_APP: Final = "metadata."

_AFTER_ALL_IDS: Final = "g"


class Found(NamedTuple):
    """A game on a page: its place in the list, what the directory knows, and its last event."""

    row: Row
    line: Line
    last: Stored


class Ask(NamedTuple):
    """What a page is asked for: which games, in which order, and between which places.

    *bound* stands for all of it but the place; times are in ms, None for no bound.
    """

    wanted: Wanted
    by_last: bool
    newest_first: bool
    limit: int
    created_after: int | None
    created_before: int | None
    last_event_after: int | None
    bound: str

    def span(self, cursor: Position | None) -> tuple[Position | None, Position | None]:
        """Return between which places to read, the first of them *cursor*'s if there is one."""
        if self.by_last:
            since = self.last_event_after
            # A place may be that much older than the event.
            low = None if since is None else Position(max(0, since - LAST_STEP_MS), "")
            high = None
        else:
            since, before = self.created_after, self.created_before
            low = None if since is None else Position(since, _AFTER_ALL_IDS)
            high = None if before is None else Position(before, "")
        first, last = (high, low) if self.newest_first else (low, high)
        return cursor or first, last

    def takes(self, line: Line, last: Stored) -> bool:
        """Return whether the game of *line*, whose last event is *last*, is within the times."""
        return (
            (self.created_after is None or line.created_at > self.created_after)
            and (self.created_before is None or line.created_at < self.created_before)
            and (self.last_event_after is None or last.time > self.last_event_after)
        )


@bp.get("")
def list_games() -> Response:
    """List games by the time of their creation, or of their last event."""
    app = app_of_request(deps())
    query = _query()
    ask = _ask(query, app)
    cursor = None if query["cursor"] is None else cursors.place_in(query["cursor"], ask.bound)
    found, further = _page(ask, cursor)
    if ask.by_last:
        # Within a page to the millisecond, whatever places lag behind.
        found.sort(key=lambda one: one.last.time, reverse=ask.newest_first)
    next_cursor = None if further is None else cursors.cursor_at(further, ask.bound)
    headers = {} if next_cursor is None else cursors.next_page(next_cursor)
    lines = [line_data(one.row.game_id, one.line, one.last) for one in found]
    return reply({"items": lines, "next_cursor": next_cursor}, cache=LIVE, headers=headers)


def _query() -> dict[str, Any]:
    yes_or_no = parameters.word({"true": True, "false": False}, default=None)
    a_text = parameters.text(METADATA_TEXT, "a text of metadata")
    names = [name for name in request.args if name.startswith(_OF_AN_APP)]
    metadata = {name: a_text for name in names if METADATA_NAME.fullmatch(name[len(_OF_AN_APP) :])}
    return parameters.read(
        metadata,
        limit=parameters.integer(1, GAMES_PER_PAGE, _USUAL_PAGE),
        cursor=lambda text: text,
        sort=parameters.word({sort: sort for sort in SORTS}, default=SORTS[0]),
        status=parameters.some_words([status.value for status in Status]),
        origin=parameters.word({kind: kind for kind in ORIGINS}, default=None),
        practice=yes_or_no,
        dealing=parameters.word({word: word for word in (COMMITTED, SEEDED)}, default=COMMITTED),
        preset=parameters.word({name: name for name in PRESETS}, default=None),
        seat_count=parameters.integer(FEWEST_SEATS, MOST_SEATS, None),
        open_seats_min=parameters.integer(0, MOST_SEATS, None),
        has_bots=yes_or_no,
        created_after=parameters.moment,
        created_before=parameters.moment,
        last_event_after=parameters.moment,
        player_ref=parameters.text(PLAYER_REF, "a reference of a player"),
    )


def _ask(query: Mapping[str, Any], app: str | None) -> Ask:
    metadata = {
        name[len(_OF_AN_APP) :]: text for name, text in query.items() if name.startswith(_OF_AN_APP)
    }
    if app is None and (metadata or query["player_ref"] is not None):
        raise Forbidden("key_required", "Only an application finds games by its own words.")
    is_of_app = bool(metadata) or query["player_ref"] is not None
    wanted = Wanted(
        statuses=query["status"],
        origin=query["origin"],
        dealing=query["dealing"],
        practice=query["practice"],
        preset=query["preset"],
        seat_count=query["seat_count"],
        open_seats_min=query["open_seats_min"],
        has_bots=query["has_bots"],
        app=app if is_of_app else None,
        player=query["player_ref"],
        metadata=metadata,
    )
    return Ask(
        wanted=wanted,
        by_last=query["sort"].endswith(LAST),
        newest_first=query["sort"].startswith("-"),
        limit=query["limit"],
        created_after=query["created_after"],
        created_before=query["created_before"],
        last_event_after=query["last_event_after"],
        bound=cursors.bound_of(query, app if is_of_app else None),
    )


def _page(ask: Ask, cursor: Position | None) -> tuple[list[Found], Position | None]:
    """Return the games of a page, and the place after which the next begins, None at the end.

    Where few games of the list are asked for, a page is short, and may be empty.
    """
    found: list[Found] = []
    lists = lists_for(ask.wanted, by_last=ask.by_last)
    after, until = ask.span(cursor)
    for _ in range(_READS):
        rows = deps().store.directory(
            after, ask.limit + 1, newest_first=ask.newest_first, lists=lists, until=until
        )
        for one in _fitting(rows[: ask.limit], ask):
            found.append(one)
            if len(found) == ask.limit:
                after = Position(one.row.at, one.row.game_id)
                return found, after if one.row is not rows[-1] else None
        if len(rows) <= ask.limit:
            return found, None
        after = Position(rows[ask.limit - 1].at, rows[ask.limit - 1].game_id)
    return found, after


def _fitting(rows: Sequence[Row], ask: Ask) -> Iterator[Found]:
    lines = [(row, line_in(row.summary)) for row in rows if row.summary]
    fitting = [(row, line) for row, line in lines if ask.wanted.fits(line)]
    lasts = deps().store.last([row.game_id for row, _ in fitting])
    for (row, line), (version, entry) in zip(fitting, lasts, strict=True):
        last = _last(row.game_id, line.created_at, version, entry)
        if last is not None and ask.takes(line, last):
            yield Found(row, line, last)


def _last(game_id: str, created_at: int, version: int, entry: bytes) -> Stored | None:
    if not version:
        return None
    try:
        # The first entry brings the time of creation along, the later ones need it.
        return decode(entry, version, None if version == 1 else created_at)
    except CorruptLogError as exc:
        # One game that cannot be read does not take the others off the list.
        deps().games.quarantine.tell(game_id, "line", str(exc))
        return None
