"""The level ``expert``: it searches as ``hard`` does, for longer, and in the end for its place."""

from engine.bots.hard_bot import HardBot
from engine.bots.standing import Aim, by_place
from engine.view import View


class ExpertBot(HardBot):
    """Searches with more simulations, half as many with two packs."""

    level = "expert"
    version = 4
    name = "Expert Bot"
    summary = "Plays thousands of deals out that agree with all it has seen, to choose a card."
    play_budget = 2_000
    pass_budget = 4_000

    def aim(self, view: View) -> Aim:
        """Return what the searches go for: points, and the place once the game may end."""
        return by_place(view)
