"""How long the bot that a game waits for thinks: it says in which queue the game waits."""

from engine.bots import LEVELS, Tempo
from service.game import Game
from service.marks import waiting_bots


def tempo_of(game: Game) -> Tempo:
    """Return the tempo of who is to act in *game*, or would if time was up; of nobody, quick."""
    # A level nobody knows any more takes no time: its moves are fallback moves.
    bot = LEVELS.get(_level(game) or "")
    return Tempo.QUICK if bot is None else bot.tempo


def _level(game: Game) -> str | None:
    waiting, clock = waiting_bots(game), game.table.clock
    if waiting:
        return game.table.players[waiting[0]].playing_level
    return None if clock is None else clock.bot_level
