"""The level ``medium``: it remembers every card played and prices each play in points.

It plays what is likely to cost it least, on the trick and by the cards it then holds;
finishes a moon that is as good as made, and spoils that of another. Which cards count,
and how much, it reads from the rules, so it plays every variant; no card is named here.
"""

from collections.abc import Sequence
from operator import itemgetter

from engine.bots.base import Tempo, deal_in, phase_of, you_in
from engine.bots.giving import heaviest
from engine.bots.memory import recall
from engine.bots.moon_choice import best_choice
from engine.bots.moon_making import alarm, sure_trick, threat_to
from engine.bots.outlook import Outlook
from engine.cards import Card, in_deck_order, one_of_each
from engine.playing import Situation
from engine.scoring import MoonChoice
from engine.view import View


class MediumBot:
    """Counts cards, passes to become void or safe, and never moves at random."""

    level = "medium"
    version = 3
    tempo: Tempo = Tempo.QUICK
    name = "Medium Bot"
    summary = "Follows rules of thumb, remembers every card, and is careful what it passes."

    def choose_pass(self, view: View, seed: bytes) -> tuple[Card, ...]:  # noqa: ARG002 - no draws
        """Return the cards without which the hand is lightest."""
        return heaviest(you_in(view).hand, deal_in(view).pass_count, view.rules)

    def choose_play(self, view: View, seed: bytes) -> Card:  # noqa: ARG002 - no draws
        """Return the card that is likely to cost the fewest points."""
        if one := sure_card(view):
            return one
        # Of cards of one price the last in deck order goes.
        legal = tuple(reversed(tuple(in_deck_order(one_of_each(you_in(view).legal)))))
        return min(zip(prices(view, legal), legal, strict=True), key=itemgetter(0))[1]

    def choose_moon(self, view: View, seed: bytes) -> MoonChoice:  # noqa: ARG002 - no draws
        """Return the choice that is best for the place in the game."""
        return best_choice(view)


def sure_card(view: View) -> Card | None:
    """Return the card that goes on with a moon as good as made, or None."""
    taken = tuple(seat.taken for seat in view.seats)
    return sure_trick(you_in(view).legal, _situation(view), recall(view), taken, view.rules)


def prices(view: View, cards: Sequence[Card]) -> list[float]:
    """Return how many points each of *cards* is likely to cost."""
    at, memory, rules = _situation(view), recall(view), view.rules
    outlook = Outlook(at, memory, rules)
    threat = threat_to(memory.seat, tuple(seat.taken for seat in view.seats), rules)

    def price(one: Card) -> float:
        points = outlook.price(one)
        return points if threat is None else points + alarm(one, threat, at, memory.seat, rules)

    return list(map(price, cards))


def _situation(view: View) -> Situation:
    at = you_in(view).situation
    assert at is not None, f"the table waits for a {phase_of(view)}"
    return at
