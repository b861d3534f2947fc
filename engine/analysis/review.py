"""What each decision of a game has cost, and what each seat lost by play and by its cards.

A decision is judged twice: from what its seat could know, which says whether it was a
mistake, and with all cards open, which says what a seer would have done. Losses are in
points of the deal, compared over the same worlds; what lies within two standard errors
counts for nothing. The best of many moves was lucky in the worlds in which it was found, so a
move that stands out there is held against the one made in others.

Source: docs/analysis.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from types import MappingProxyType
from typing import Final, NamedTuple, assert_never

from engine.analysis import Analysis, Truth, analyse, analyse_openly, compare
from engine.analysis.decisions import Decision, PlayedDeal
from engine.analysis.reasons import Why, why_better
from engine.cards import code_of, one_of_each
from engine.commands import ChooseMoon, Move, PassCards, PlayCard
from engine.seats import PerSeat, Seat
from engine.state import Passing, TurnType
from engine.view import View, all_hands, kitty_of, view_for

DEAREST: Final = 3
"""So many mistakes of each seat are told in words."""

TOLD: Final = 0.5
"""A mistake that costs fewer points is counted, and not told of."""

DEAR: Final = 1.0
"""A mistake that costs more points than this is a dear one."""


class Effort(NamedTuple):
    """How many playouts a level of review makes for a play, and for a pass; half with two packs.

    With all cards open there is less chance, and half as many do. Where nothing is left to
    choose, a tenth does.
    """

    play: int
    passing: int


EFFORTS: Final[Mapping[str, Effort]] = MappingProxyType(
    {"hard": Effort(500, 1_000), "expert": Effort(2_000, 2_000)}
)
"""The levels of review, the quicker first."""

_FORCED: Final = 10


class Verdict(NamedTuple):
    """What there is to say of the decision made by event *seq*; moves are in words.

    A card is its code, a pass one code after the other, a moon's choice its word. *best* is the
    move that is better by most, or one as good as the one made. *points*
    and *best_points* are what the seat could expect of its move, and of the best one, in this
    deal. *loss* is what the move cost against the best one, in points, with its standard
    *error*. *why* says what makes up most of the loss, None where it is
    no mistake. *open_best* is the move that is better by most with all cards
    open, and *open_loss* what the move cost against that.
    """

    seq: int
    deal: int
    trick: int
    seat: Seat
    phase: str
    move: tuple[str, ...]
    points: float
    best: tuple[str, ...]
    best_points: float
    loss: float
    error: float
    why: Why | None
    open_best: tuple[str, ...]
    open_loss: float

    @property
    def is_mistake(self) -> bool:
        """Whether the loss is beyond two standard errors."""
        return self.loss > 2 * self.error

    @property
    def is_dear(self) -> bool:
        """Whether it is a mistake that costs more than a point."""
        return self.is_mistake and self.loss > DEAR

    @property
    def counted(self) -> float:
        """The loss as far as it counts: 0 where it may be chance."""
        return self.loss if self.is_mistake else 0.0


class DealReview(NamedTuple):
    """What became of a deal, the change of each total in *points*, and what it promised.

    *outset* is what each seat could expect at its beginning, if all had played alike.
    """

    number: int
    points: PerSeat[int]
    outset: PerSeat[float]


class SeatReview(NamedTuple):
    """What a seat lost, in points over all deals reviewed; the four add up to its points.

    *even* is what each seat would have had if all points were shared alike, *cards* what its
    cards were worse than the others', *play* the sum of what its mistakes cost, *rest* what
    is left: how the hidden cards lay, and what the others did. *dearest* are its dearest
    mistakes, the dearest first.
    """

    seat: Seat
    decisions: int
    mistakes: int
    average_loss: float
    points: int
    even: float
    cards: float
    play: float
    rest: float
    dearest: tuple[Verdict, ...]


def judge(deal: PlayedDeal, decision: Decision, level: str) -> Verdict:
    """Return what there is to say of *decision* in *deal* at the *level* of review.

    The same arguments give the same verdict everywhere.

    Raises:
        KeyError: There is no such level.
    """
    state, move, seed = decision.state, decision.move, deal.seed(decision)
    view = view_for(move.seat, state)
    sims = _playouts(decision, view, level)
    seen = _seen(deal, decision, view, sims)
    seer = analyse_openly(view, _truth(deal, decision), max(1, sims // 2), seed, [move])
    rival, open_rival = seen.rival(move).move, seer.rival(move).move
    found, openly = seen.compared(rival, move), seer.compared(open_rival, move)
    loss = found.difference
    verdict = Verdict(
        seq=decision.seq,
        deal=deal.number,
        trick=decision.trick,
        seat=move.seat,
        phase=decision.phase.value,
        move=words_of(move),
        points=_rounded(found.other.points.mean),
        best=words_of(rival),
        best_points=_rounded(found.one.points.mean),
        loss=_rounded(loss.mean),
        error=_rounded(loss.error),
        why=None,
        open_best=words_of(open_rival),
        open_loss=_rounded(openly.difference.mean),
    )
    if not verdict.is_mistake:
        return verdict
    return verdict._replace(why=why_better(found, dearest_is_left=seen.dearest_is_left))


def _seen(deal: PlayedDeal, decision: Decision, view: View, sims: int) -> Analysis:
    """Return the move made and the best one, compared in worlds that had no part in choosing it."""
    move = decision.move
    found = analyse(view, sims, deal.seed(decision), [move])
    best = found.rival(move).move
    if not found.is_better(best, move):
        return found
    return compare(view, [best, move], max(1, sims // 2), deal.second_seed(decision))


def _playouts(decision: Decision, view: View, level: str) -> int:
    effort = EFFORTS[level]
    if decision.phase is TurnType.PASS:
        return effort.passing // view.rules.deck.packs
    is_forced = view.you is not None and one_of_each(view.you.legal).bit_count() == 1
    return effort.play // view.rules.deck.packs // (_FORCED if is_forced else 1)


def _truth(deal: PlayedDeal, decision: Decision) -> Truth:
    state = decision.state
    kitty = kitty_of(state)
    if isinstance(state, Passing):
        return Truth(state.table.dealt[-1], kitty, deal.passes)
    return Truth(all_hands(state), kitty)


def _rounded(points: float) -> float:
    # Hundredths are more than the errors leave; and -0.0 is no number to show.
    return round(points, 2) + 0.0


def words_of(move: Move) -> tuple[str, ...]:
    """Return *move* in words: the codes of its cards, or its choice."""
    match move:
        case PlayCard(card=one):
            return (code_of(one),)
        case PassCards(cards=some):
            return tuple(map(code_of, some))
        case ChooseMoon(choice=choice):
            return (choice.value,)
        case other:
            assert_never(other)


def seat_reviews(
    deals: Sequence[DealReview], verdicts: Iterable[Verdict], seats: int
) -> PerSeat[SeatReview]:
    """Return what each of the *seats* lost over *deals*, by all of their *verdicts*."""
    of_seats: list[list[Verdict]] = [[] for _ in range(seats)]
    for verdict in verdicts:
        of_seats[verdict.seat].append(verdict)
    return tuple(_seat_review(seat, deals, own) for seat, own in enumerate(of_seats))


def _seat_review(seat: Seat, deals: Sequence[DealReview], own: Sequence[Verdict]) -> SeatReview:
    points = sum(deal.points[seat] for deal in deals)
    # Not `sum`, whose last bits depend on the version of Python.
    even = fsum(sum(deal.points) / len(deal.points) for deal in deals)
    cards = fsum(deal.outset[seat] - fsum(deal.outset) / len(deal.outset) for deal in deals)
    play = fsum(verdict.counted for verdict in own)
    even, cards, play = _rounded(even), _rounded(cards), _rounded(play)
    mistakes = [verdict for verdict in own if verdict.is_mistake]
    worth_telling = [verdict for verdict in mistakes if verdict.loss >= TOLD]
    # Of equals the earlier comes first.
    dearest = sorted(worth_telling, key=lambda verdict: (-verdict.loss, verdict.seq))
    return SeatReview(
        seat=seat,
        decisions=len(own),
        mistakes=len(mistakes),
        average_loss=_rounded(play / len(own)) if own else 0.0,
        points=points,
        even=even,
        cards=cards,
        play=play,
        rest=_rounded(points - even - cards - play),
        dearest=tuple(dearest[:DEAREST]),
    )
