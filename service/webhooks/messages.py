"""What webhooks tell of a game: a pure function of its log, and of the time for reminders.

An id names one thing that has happened, and follows from the log alone; so what is told
twice can be told apart. A message has no card, no name of a player and no token.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from engine import events as e
from engine import reasons
from engine.clocks import MILLISECONDS, timestamp
from engine.seats import Seat
from engine.table_data import origin_data
from service.deadlines import deadline_of, late_seats
from service.game import Game
from service.store.envelope import Stored

OPENED: Final = "turn.opened"
REMINDER: Final = "turn.reminder"
CONTROL: Final = "seat.control_changed"
STARTED: Final = "game.started"
FINISHED: Final = "game.finished"
ABORTED: Final = "game.aborted"
TYPES: Final = (OPENED, REMINDER, CONTROL, STARTED, FINISHED, ABORTED)
"""What an endpoint can ask for."""

TEST: Final = "webhook.test"
OF_A_TURN: Final = frozenset({OPENED, REMINDER})
"""What nobody needs to be told once the turn is over."""

REMINDED_MS: Final = 3_600 * MILLISECONDS
"""Whoever has less time than that is not reminded."""

_REMINDED_AT: Final = (50, 80)
"""Percent of the time."""


class Message(NamedTuple):
    """One thing to tell, which happened at *time* (ms); *refs* are the players it is about.

    *turn_id* and *seat* say which decision it calls for, if it does.
    """

    id: str
    type: str
    time: int
    data: dict[str, Any]
    refs: Sequence[str]
    game_id: str
    turn_id: int | None = None
    seat: Seat | None = None

    @property
    def body(self) -> str:
        """What is sent, as JSON."""
        return body_of(self.type, self.time, self.data)


def body_of(kind: str, time: int, data: dict[str, Any]) -> str:
    """Return the body of a message of that *kind*, about something that happened at *time*."""
    content = {"type": kind, "timestamp": timestamp(time), "data": data}
    return msgspec.json.encode(content).decode()


def messages_of(stored: Stored, game: Game) -> Iterator[Message]:
    """Yield what there is to tell of the event *stored*, after which the game is *game*."""
    event = stored.event
    match event:
        case e.ControlChanged() if event.reason != reasons.UNCHANGED:
            yield _control(stored, event, game)
        case e.GameStarted():
            yield _of_game(STARTED, stored, game, {})
        case e.GameFinished():
            more = {"reason": event.reason.value, "totals": event.totals, "winners": event.winners}
            yield _of_game(FINISHED, stored, game, more)
        case e.GameAborted():
            yield _of_game(ABORTED, stored, game, {"reason": event.reason})
        case _:
            pass
    if game.turn is not None and game.turn.id == stored.seq:
        yield from _of_turn(game, OPENED, "opened", stored.time)


def reminders_of(game: Game, now: int) -> list[Message]:
    """Return the last reminder that is due at *now* (ms), one for each seat that is to act."""
    past = [(percent, at) for percent, at in _reminder_times(game) if at <= now]
    if not past:
        return []
    percent, at = past[-1]
    return list(_of_turn(game, REMINDER, f"reminder-{percent}", at))


def next_reminder(game: Game, now: int) -> int | None:
    """Return when the next reminder is due after *now*, both in ms, None if none is."""
    return next((at for _, at in _reminder_times(game) if at > now), None)


def is_open(game: Game, turn_id: int, seat: Seat) -> bool:
    """Return whether *game* waits for the person in *seat* to decide that turn."""
    return game.turn is not None and game.turn.id == turn_id and seat in late_seats(game)


def _reminder_times(game: Game) -> list[tuple[int, int]]:
    until, since = deadline_of(game), game.times.turn_opened_at
    if until is None or until - since < REMINDED_MS:
        return []
    return [(percent, since + (until - since) * percent // 100) for percent in _REMINDED_AT]


def _of_turn(game: Game, kind: str, word: str, time: int) -> Iterator[Message]:
    turn = game.turn
    assert turn is not None, "somebody is to act"
    until = deadline_of(game)
    for seat in late_seats(game):
        data = {
            **_about_seat(game, seat),
            "turn_id": turn.id,
            "turn_type": turn.type.value,
            "deadline_at": None if until is None else timestamp(until),
            "version": turn.id,
            "origin": origin_data(game.table.origin),
        }
        # Where all pass at once, each is told of a decision of their own.
        end = word if turn.type.value == "play" else f"{word}-{seat}"
        name = f"msg_{game.game_id}-{turn.id}-{end}"
        refs = _refs(game, [seat])
        yield Message(name, kind, time, data, refs, game.game_id, turn.id, seat)


def _control(stored: Stored, event: e.ControlChanged, game: Game) -> Message:
    to = "human" if event.level is None else "bot"
    data = {
        **_about_seat(game, event.seat),
        "controller": to,
        "reason": event.reason,
        "version": stored.seq,
        "origin": origin_data(game.table.origin),
    }
    name = f"msg_{game.game_id}-{stored.seq}-control"
    return Message(name, CONTROL, stored.time, data, _refs(game, [event.seat]), game.game_id)


def _of_game(kind: str, stored: Stored, game: Game, more: dict[str, Any]) -> Message:
    seats = range(len(game.table.players))
    data = {
        "game_id": game.game_id,
        "players": [
            {"seat": seat, "player_ref": game.table.players[seat].player_ref} for seat in seats
        ],
        **more,
        "version": stored.seq,
        "origin": origin_data(game.table.origin),
    }
    name = f"msg_{game.game_id}-{stored.seq}-{kind.partition('.')[2]}"
    return Message(name, kind, stored.time, data, _refs(game, seats), game.game_id)


def _about_seat(game: Game, seat: Seat) -> dict[str, Any]:
    ref = game.table.players[seat].player_ref
    return {"game_id": game.game_id, "seat": seat, "player_ref": ref}


def _refs(game: Game, seats: Sequence[Seat]) -> list[str]:
    refs = [game.table.players[seat].player_ref for seat in seats]
    return [ref for ref in refs if ref is not None]
