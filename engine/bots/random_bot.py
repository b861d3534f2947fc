"""The level ``random``: any legal move, each as likely as the others."""

from engine.bots.base import Draws, Tempo, deal_in, you_in
from engine.cards import Card
from engine.scoring import MoonChoice
from engine.view import View


class RandomBot:
    """Plays any legal move; what every other level is measured against."""

    level = "random"
    version = 1
    tempo = Tempo.QUICK
    name = "Random Bot"
    summary = "Makes any legal move, each as likely as the others."

    def choose_pass(self, view: View, seed: bytes) -> tuple[Card, ...]:
        """Return any cards of the hand."""
        return Draws(seed).cards(you_in(view).hand, deal_in(view).pass_count)

    def choose_play(self, view: View, seed: bytes) -> Card:
        """Return any legal card."""
        return Draws(seed).card(you_in(view).legal)

    def choose_moon(self, view: View, seed: bytes) -> MoonChoice:  # noqa: ARG002 - a toss
        """Return either choice."""
        choices = tuple(MoonChoice)
        return choices[Draws(seed).below(len(choices))]
