"""The level ``hard``: it searches, trying out its cards in deals that may be the real one."""

from typing import Final

from engine.bots.base import Tempo
from engine.bots.medium_bot import MediumBot
from engine.bots.pass_search import best_pass
from engine.bots.search import best_play
from engine.bots.standing import Aim, by_points
from engine.bots.worlds import Worlds
from engine.cards import Card
from engine.view import View

_CAUTION: Final = 0.75


class HardBot(MediumBot):
    """Searches for its passes and plays; a moon it settles as `MediumBot` does.

    *play_budget* and *pass_budget* are the simulations for one play, and for one pass; with
    two packs half as many.
    """

    level = "hard"
    version = 4
    tempo = Tempo.SLOW
    name = "Hard Bot"
    summary = "Plays hundreds of deals out that agree with all it has seen, to choose a card."
    play_budget: int = 500
    pass_budget: int = 1_000

    def choose_pass(self, view: View, seed: bytes) -> tuple[Card, ...]:
        """Return the cards without which the seat gains most over the others."""
        return best_pass(view, seed, self.pass_budget // view.rules.deck.packs, self.aim)

    def choose_play(self, view: View, seed: bytes) -> Card:
        """Return the card that gains the seat most over the others."""
        budget = self.play_budget // view.rules.deck.packs
        return best_play(view, seed, budget, self.aim, self.worlds)

    def worlds(self, view: View, seed: bytes) -> Worlds:
        """Return where worlds for the search of a play come from: all of them are as likely."""
        return Worlds(view, seed)

    def aim(self, view: View) -> Aim:
        """Return what the searches go for: points, also where the game is about to end."""
        return by_points(view)._replace(caution=_CAUTION)
