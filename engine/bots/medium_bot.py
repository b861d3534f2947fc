"""The level ``medium``: it remembers every card played and prices each play in points.

It plays what is likely to cost it least, on the trick and by the cards it then holds;
finishes a moon that is as good as made, and spoils that of another. Which cards count,
and how much, it reads from the rules, so it plays every variant; no card is named here.
"""

from engine.bots.base import deal_in, phase_of, you_in
from engine.bots.giving import heaviest
from engine.bots.memory import Memory, recall
from engine.bots.moon_choice import best_choice
from engine.bots.moon_making import alarm, sure_trick, threat_to
from engine.bots.outlook import Outlook
from engine.cards import Card, CardSet, in_deck_order, one_of_each
from engine.playing import Situation
from engine.rules import Rules
from engine.scoring import MoonChoice
from engine.seats import PerSeat
from engine.view import View


class MediumBot:
    """Counts cards, passes to become void or safe, and never moves at random."""

    level = "medium"
    version = 1
    name = "Medium Bot"
    summary = "Follows rules of thumb, remembers every card, and is careful what it passes."

    def choose_pass(self, view: View, seed: bytes) -> tuple[Card, ...]:  # noqa: ARG002 - no draws
        """Return the cards without which the hand is lightest."""
        return heaviest(you_in(view).hand, deal_in(view).pass_count, view.rules)

    def choose_play(self, view: View, seed: bytes) -> Card:  # noqa: ARG002 - no draws
        """Return the card that is likely to cost the fewest points."""
        at, legal = you_in(view).situation, you_in(view).legal
        assert at is not None, f"the table waits for a {phase_of(view)}"
        taken = tuple(seat.taken for seat in view.seats)
        return _play(legal, at, recall(view), taken, view.rules)

    def choose_moon(self, view: View, seed: bytes) -> MoonChoice:  # noqa: ARG002 - no draws
        """Return the choice that is best for the place in the game."""
        return best_choice(view)


def _play(
    legal: CardSet, at: Situation, memory: Memory, taken: PerSeat[CardSet], rules: Rules
) -> Card:
    if one := sure_trick(legal, at, memory, taken, rules):
        return one
    outlook, threat = Outlook(at, memory, rules), threat_to(memory.seat, taken, rules)

    def price(one: Card) -> float:
        points = outlook.price(one)
        return points if threat is None else points + alarm(one, threat, at, memory.seat, rules)

    # Of cards of one price the last in deck order goes.
    return min(reversed(tuple(in_deck_order(one_of_each(legal)))), key=price)
