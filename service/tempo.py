"""Which bots a game waits for, in which queue, and until when.

A bot that searches takes longer for many cards than for one, and everybody could see it. So
its move is made at a moment that follows from what all may know: when its turn opened, and
what kind of decision it is.

Source: docs/bots.md, "Think time".
"""

from typing import Final

from engine.bots import LEVELS, Tempo
from engine.seats import Seat
from engine.state import TurnType
from service.game import Game

PASSES_TAKE: Final = 4
"""So many times as long as for a play a bot may think about a pass."""


def waiting_bots(game: Game) -> list[Seat]:
    """Return the seats, in order, that are to act and are played by bots."""
    turn = game.turn
    if turn is None:
        return []
    return [seat for seat in turn.seats if game.table.players[seat].playing_level]


def tempo_of(game: Game) -> Tempo:
    """Return the tempo of who is to act in *game*, or would if time was up; of nobody, quick."""
    waiting, clock = waiting_bots(game), game.table.clock
    if waiting:
        return _tempo(game.table.players[waiting[0]].playing_level)
    return _tempo(None if clock is None else clock.bot_level)


def _tempo(level: str | None) -> Tempo:
    # A level nobody knows any more takes no time: its moves are fallback moves.
    bot = LEVELS.get(level or "")
    return Tempo.QUICK if bot is None else bot.tempo


def opened_at(game: Game, seat: Seat, delay_ms: int) -> int:
    """Return since when the bot of *seat*, which is to act, has had to, in ms since the epoch.

    *delay_ms* is that of slow bots. A bot without one has to whenever something has happened:
    it may be put in charge of a turn long after it opened.
    """
    if not delay_of(game, seat, delay_ms):
        return game.times.last_event_at
    return max(game.times.turn_opened_at, game.times.bots_at.get(seat, 0))


def delay_of(game: Game, seat: Seat, delay_ms: int) -> int:
    """Return how long (ms) the bot of *seat*, which is to act, waits; *delay_ms* is for a play.

    Where no person has a seat nobody waits: there is no hand to gain by what is seen.
    """
    players = game.table.players
    is_quick = _tempo(players[seat].playing_level) is Tempo.QUICK
    if is_quick or all(player.is_bot for player in players):
        return 0
    assert game.turn is not None, "somebody is to act"
    return delay_ms * (PASSES_TAKE if game.turn.type is TurnType.PASS else 1)


def due_of(game: Game, seat: Seat, delay_ms: int, now: int) -> int:
    """Return when the bot of *seat*, which is to act, moves, in ms since the epoch.

    Not later than if it had its turn from *now* on: times in the log never go back, but
    clocks do.
    """
    return min(opened_at(game, seat, delay_ms), now) + delay_of(game, seat, delay_ms)
