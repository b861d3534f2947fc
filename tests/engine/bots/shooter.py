"""A seat that always tries to shoot the moon, and how often each level lets it.

Run as a program it counts: `python -m tests.engine.bots.shooter expert 200`, over so many deals.
"""

import sys

from engine.bots import choose
from engine.bots.memory import recall
from engine.cards import above, in_deck_order, lowest, rank_of, suit_of
from engine.commands import PassCards, PlayCard
from engine.events import MoonShot
from engine.stakes import beaten
from engine.state import TurnType
from tests.engine.bots.bot_games import decisions, events_of, short

DEALS_PER_GAME = 20


def asked(view, level, seed):
    """Return the move of the shooter, who is seat 0, or of a bot of *level*."""
    if view.you.seat or view.turn.type is TurnType.MOON:
        return choose(view, level, seed)
    if view.turn.type is TurnType.PASS:
        low = sorted(in_deck_order(view.you.hand), key=rank_of)
        return PassCards(0, tuple(low[: view.deal.pass_count]))
    return PlayCard(0, taking(view))


def taking(view):
    """Return the legal card that goes for every trick."""
    legal, trick, out = view.you.legal, view.deal.trick, recall(view).out
    penalties = view.rules.penalties

    def over(one):
        return (out & above(one)).bit_count()

    if not trick:
        return min(reversed(list(in_deck_order(legal))), key=over)
    if not legal & suit_of(trick[0]):
        return max(in_deck_order(legal), key=lambda one: (not one & penalties, over(one)))
    wins = list(in_deck_order(legal & ~beaten(trick, view.rules)))
    if not wins:
        return lowest(legal)
    return wins[0] if len(trick) == view.rules.seats - 1 else wins[-1]


def moons(level, deals, game=0):
    """Return in which of *deals* of one game the shooter shoots the moon against *level*."""
    rules = short("standard", 4, deals)
    played = list(decisions(rules, level, game=game, ask=asked))
    return {event.deal for event in events_of(played, MoonShot) if event.seat == 0}


def main(level, deals):
    """Print how often the shooter succeeds in *deals* deals."""
    count = int(deals)
    games = range(-(-count // DEALS_PER_GAME))
    shot = sum(
        len(moons(level, min(DEALS_PER_GAME, count - DEALS_PER_GAME * game), game))
        for game in games
    )
    print(f"{shot} moons in {count} deals against three of {level}")  # noqa: T201 - its purpose


if __name__ == "__main__":
    main(*sys.argv[1:])
