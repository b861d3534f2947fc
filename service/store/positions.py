"""A position as it is stored: in the creation of a fork, and in the event that sets it."""

from engine.playing import Trick
from engine.position import PastTrick, Position
from engine.rules import Direction
from engine.scoring import Shot, ShotKind
from service.store.forms import (
    CardBytes,
    CardNumber,
    CardNumbers,
    Count,
    Form,
    Gift,
    Hands,
    Points,
    PointsPerSeat,
    SeatNumber,
    card_at,
    cards_at,
    hands_form,
    hands_of,
    number_of,
    numbers_of,
    packed,
    unpacked,
)


class PastTrickForm(Form):
    """A trick that is over."""

    leader: SeatNumber
    cards: CardNumbers
    winner: SeatNumber | None
    points: Points


class ShotForm(Form):
    """A moon or sun whose shooter has to choose."""

    seat: SeatNumber
    kind: ShotKind
    points: Points


class PositionForm(Form):
    """A deal in the middle."""

    deal: Count
    scored: Count
    totals: PointsPerSeat
    dealer: SeatNumber
    direction: Direction | None
    pass_count: Count
    opening_card: CardNumber | None
    dealt: Hands
    kitty: CardBytes
    passed: tuple[CardNumbers | None, ...]
    received: tuple[tuple[Gift, ...], ...]
    tricks: tuple[PastTrickForm, ...]
    kitty_taker: SeatNumber | None
    kitty_trick: Count | None
    leader: SeatNumber | None
    trick: CardNumbers
    hearts_broken: bool
    shot: ShotForm | None

    def position(self) -> Position:
        """Return it as the engine has it."""
        shot = self.shot
        return Position(
            deal=self.deal,
            scored=self.scored,
            totals=self.totals,
            dealer=self.dealer,
            direction=self.direction,
            pass_count=self.pass_count,
            opening_card=None if self.opening_card is None else card_at(self.opening_card),
            dealt=hands_of(self.dealt),
            kitty=unpacked(self.kitty),
            passed=tuple(None if cards is None else cards_at(cards) for cards in self.passed),
            received=tuple(
                tuple((gift.giver, unpacked(gift.cards)) for gift in gifts)
                for gifts in self.received
            ),
            tricks=tuple(
                PastTrick(Trick(one.leader, cards_at(one.cards)), one.winner, one.points)
                for one in self.tricks
            ),
            kitty_taker=self.kitty_taker,
            kitty_trick=self.kitty_trick,
            leader=self.leader,
            trick=cards_at(self.trick),
            hearts_broken=self.hearts_broken,
            shot=None if shot is None else Shot(shot.seat, shot.kind, shot.points),
        )


def position_form(position: Position) -> PositionForm:
    """Return *position* as it is stored."""
    card, shot = position.opening_card, position.shot
    return PositionForm(
        position.deal,
        position.scored,
        position.totals,
        position.dealer,
        position.direction,
        position.pass_count,
        None if card is None else number_of(card),
        hands_form(position.dealt),
        packed(position.kitty),
        tuple(None if cards is None else numbers_of(cards) for cards in position.passed),
        tuple(
            tuple(Gift(giver, packed(cards)) for giver, cards in gifts)
            for gifts in position.received
        ),
        tuple(
            PastTrickForm(trick.leader, numbers_of(trick.cards), winner, points)
            for trick, winner, points in position.tricks
        ),
        position.kitty_taker,
        position.kitty_trick,
        position.leader,
        numbers_of(position.trick),
        position.hearts_broken,
        None if shot is None else ShotForm(shot.seat, shot.kind, shot.points),
    )
