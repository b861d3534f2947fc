"""What an append writes beside the events: when the game is due, and its line in the directory.

A line changes only with who sits at the table and how far the game has come, not with
every card; version and time of the last event are read from the log itself. The place of a
running game in the order of last events is written anew once in some seconds.
"""

from collections.abc import Sequence

import msgspec

from engine import events as e
from engine.commands import PUBLIC
from engine.state import status_of
from engine.table_data import dealing_mode
from service.deadlines import Waits, next_deadline
from service.directory import LAST_STEP_MS, App, Line, count_of, ends_of, lists_of
from service.game import Game
from service.store.base import Marks, Row
from service.store.envelope import Stored
from service.tempo import due_of, waiting_bots

_CHANGE_THE_LINE = (
    e.GameCreated
    | e.OptionsChanged
    | e.SeatClaimed
    | e.SeatUpdated
    | e.SeatBotAssigned
    | e.SeatReleased
    | e.SeatKicked
    | e.GameStarted
    | e.GameFinished
    | e.GameAborted
)

_CHANGE_THE_STATUS = (
    *(e.GameCreated, e.OptionsChanged, e.GameStarted),  # options may hide a game
    *(e.GameFinished, e.GameAborted),
)


def marks_for(
    game: Game,
    stored: Sequence[Stored],
    now: int,
    waits: Waits,
    *,
    since: int | None = None,
) -> Marks:
    """Return the marks of an append of *stored* at *now* (ms), after which the game is *game*.

    *since* is the time of the last event before them. Of a game that an application has
    created, webhooks may have something to tell.
    """
    marks = _marks(game, stored, due_at(game, now, waits), since)
    if not stored or game.table.options.application is None:
        return marks
    return marks._replace(hooks_at=min(game.times.last_event_at, now))


def _marks(game: Game, stored: Sequence[Stored], due: int | None, since: int | None) -> Marks:
    events = [one.event for one in stored]
    if game.table.visibility != PUBLIC:
        is_news = any(isinstance(one, _CHANGE_THE_STATUS) for one in events)
        return Marks(due, *_hidden(game)) if is_news else Marks(due)
    if any(isinstance(one, _CHANGE_THE_LINE) for one in events) or _is_far(game, stored, since):
        return Marks(due, *_listed(game))
    return Marks(due)


def _listed(game: Game) -> tuple[Row, dict[str, int]]:
    line, app, last = _line(game), _app(game), game.times.last_event_at
    lists = lists_of(line, app, last) | ends_of(line, app, last) | count_of(line)
    return _row(game, line), lists


def _hidden(game: Game) -> tuple[Row, dict[str, int]]:
    """Return line and lists of a game that is in none which others read."""
    line = _line(game)
    lists = ends_of(line, _app(game), game.times.last_event_at) | count_of(line)
    return _row(game, line), lists


def _is_far(game: Game, stored: Sequence[Stored], since: int | None) -> bool:
    """Return whether the game has left its place in the order of last events too far behind."""
    if not stored or since is None:
        return False
    return game.times.last_event_at // LAST_STEP_MS != since // LAST_STEP_MS


def due_at(game: Game, now: int, waits: Waits) -> int | None:
    """Return when something must happen without a request, in ms since the epoch, or None.

    It is the moment of the first bot that is to act; where people alone are to act, it is when
    their time is up.
    """
    if waiting := waiting_bots(game):
        return min(due_of(game, seat, waits.bot_delay_ms, now) for seat in waiting)
    return next_deadline(game, waits.lobby_ms)


def line_in(summary: bytes) -> Line:
    """Return the line that *summary* holds."""
    return msgspec.msgpack.decode(summary, type=Line)


def _row(game: Game, line: Line) -> Row:
    return Row(game.game_id, game.times.created_at, msgspec.msgpack.encode(line))


def _app(game: Game) -> App:
    players = [one.player_ref for one in game.table.players if one.player_ref is not None]
    return App(game.table.options.application, players)


def _line(game: Game) -> Line:
    table, origin = game.table, game.table.origin
    return Line(
        status=status_of(game.state).value,
        preset=table.rules.preset,
        seats=[(player.name, player.is_bot) for player in table.players],
        practice=table.practice,
        origin=None if origin is None else (origin.kind, origin.game_id, origin.version),
        dealing=dealing_mode(table.deals_commitment),
        created_at=game.times.created_at,
        metadata=dict(table.options.metadata),
        clock=table.clock is not None,
    )
