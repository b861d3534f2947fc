"""The advice of a hint as it is stored."""

from typing import Literal, assert_never

from engine.commands import Advice, Advised, ChooseMoon, Move, PassCards, PlayCard
from engine.scoring import MoonChoice
from engine.seats import Seat
from service.store.forms import (
    CardNumbers,
    Count,
    Form,
    Points,
    card_at,
    cards_at,
    number_of,
    numbers_of,
)


class AdvisedForm(Form):
    """A move, and what it is likely to cost, in hundredths of a point."""

    kind: Literal["pass", "play", "moon"]
    cards: CardNumbers
    choice: MoonChoice | None
    points: Points
    error: Count

    def advised(self, seat: Seat) -> Advised:
        """Return it as the engine has it, for *seat*."""
        return Advised(self._move(seat), self.points, self.error)

    def _move(self, seat: Seat) -> Move:
        match self.kind:
            case "pass":
                return PassCards(seat, cards_at(self.cards))
            case "play":
                (number,) = self.cards
                return PlayCard(seat, card_at(number))
            case "moon":
                assert self.choice is not None, "a moon goes one way or the other"
                return ChooseMoon(seat, self.choice)
            case other:
                assert_never(other)


class AdviceForm(Form):
    """Moves, the best first, and why it is."""

    worlds: Count
    ranking: tuple[AdvisedForm, ...]
    reason: str
    best: Count
    other: Count
    against: Count

    def advice(self, seat: Seat) -> Advice:
        """Return it as the engine has it, for *seat*."""
        ranking = tuple(one.advised(seat) for one in self.ranking)
        return Advice(self.worlds, ranking, self.reason, self.best, self.other, self.against)


def advice_form(advice: Advice) -> AdviceForm:
    """Return *advice* as it is stored."""
    ranking = tuple(map(_advised_form, advice.ranking))
    return AdviceForm(
        advice.worlds, ranking, advice.reason, advice.best, advice.other, advice.against
    )


def _advised_form(one: Advised) -> AdvisedForm:
    match one.move:
        case PassCards(cards=cards):
            return AdvisedForm("pass", numbers_of(cards), None, one.points, one.error)
        case PlayCard(card=card):
            return AdvisedForm("play", (number_of(card),), None, one.points, one.error)
        case ChooseMoon(choice=choice):
            return AdvisedForm("moon", (), choice, one.points, one.error)
        case other:
            assert_never(other)
