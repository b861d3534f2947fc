"""What a view proves of the hidden cards: where each may lie, and where some have to.

Cards are codes here: which of two twins lies where nobody can tell. So a card stands for
both, always as that of the first pack, and is counted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.cards import (
    CLUBS,
    NO_CARDS,
    Card,
    CardSet,
    each,
    named,
    one_of_each,
    rank_of,
    twins,
    union,
)
from engine.playing import Situation, Trick, breaks_hearts, legal_plays
from engine.rules import OpeningLead, Rules
from engine.seats import Seat, clockwise_from, eldest_of
from engine.view import DealView, View, You

Place: TypeAlias = Seat | None
"""Where hidden cards lie: with a seat, or, None, in the kitty."""

KITTY: Final[Place] = None

Cards: TypeAlias = Mapping[Card, int]
"""How often each card is among some."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hidden cards, and all that is known of where they lie.

    *unseen* are the cards to be placed. *rooms* has how many of them each place holds, *barred*
    the cards that do not lie there, and *known* those that do, each at least so often.

    *either* has a card of which a place had one of two when the first trick began, and nobody
    can tell which. So the other one lies there in half as many deals as anywhere else.
    """

    unseen: Cards
    rooms: Mapping[Place, int]
    barred: Mapping[Place, CardSet]
    known: Mapping[Place, Cards]
    either: Mapping[Card, Place]


def evidence_of(view: View) -> Evidence:
    """Return what the seat of *view* can prove of the running deal.

    While cards are passed, those on their way lie with who gave them; those of the reader
    with who gets them.

    Raises:
        AssertionError: It is the public's view, or nothing is dealt.
    """
    you, deal = view.you, view.deal
    assert you is not None, "the public knows what lies on the table"
    assert deal is not None, "there are no cards"
    plays = list(_plays(deal, view.rules.seats))
    unseen = counted(view.rules.cards) - counted(you.hand) - counted(you.kitty)
    unseen -= Counter(named(one) for _, _, one in plays)
    return Evidence(
        unseen=unseen,
        rooms=_rooms(view, you, deal),
        barred=_barred(view.rules, you.seat, deal, plays, union(unseen)),
        known=_known(you, deal, plays),
        either=_either(view.rules, you, deal, plays),
    )


def counted(some: CardSet) -> Counter[Card]:
    """Return how often each card is in *some*."""
    return Counter(map(named, each(some)))


_Play: TypeAlias = tuple[int, Seat, Card]
"""The number of a trick, and who played what to it."""


def _plays(deal: DealView, seats: int) -> Iterator[_Play]:
    for number, trick in enumerate(tricks_of(deal), 1):
        for seat, one in trick.plays(seats):
            yield number, seat, one


def tricks_of(deal: DealView) -> Iterator[Trick]:
    """Yield the tricks of *deal*, the one on the table last."""
    yield from (trick for trick, _ in deal.tricks)
    if deal.leader is not None and deal.trick:
        yield Trick(deal.leader, deal.trick)


def _rooms(view: View, you: You, deal: DealView) -> Mapping[Place, int]:
    rooms: dict[Place, int] = {
        seat: seen.hand_size for seat, seen in enumerate(view.seats) if seat != you.seat
    }
    if not deal.trick_number:
        for seat in rooms.keys() & {n for n, seen in enumerate(view.seats) if seen.has_passed}:
            rooms[seat] += deal.pass_count
        for target, some in you.passed:
            rooms[target] += some.bit_count()
    rooms[KITTY] = 0 if deal.kitty_taker == you.seat else deal.kitty_size
    return rooms


def _known(you: You, deal: DealView, plays: Sequence[_Play]) -> Mapping[Place, Cards]:
    """Return the cards that a seat was given, or shown to have, and has not played."""
    known: dict[Place, Counter[Card]] = {}
    for target, some in you.passed:
        known.setdefault(target, Counter()).update(counted(some))
    if deal.opening_card and (leader := _opener(deal)) != you.seat:
        held = known.setdefault(leader, Counter())
        # Perhaps this very card was passed to it.
        held[named(deal.opening_card)] = max(1, held[named(deal.opening_card)])
    for _, seat, one in plays:
        if seat in known:
            known[seat] -= Counter([named(one)])
    return known


def _either(rules: Rules, you: You, deal: DealView, plays: Sequence[_Play]) -> Mapping[Card, Place]:
    """Return the opening card and its opener, unless it is known which of two that one had.

    The reader knows its own card, and the one that it passed on. A card that is played by
    choice is one card of a hand like any other; the lowest club has to be led, whichever.
    """
    if not deal.opening_card or (leader := _opener(deal)) == you.seat:
        return {}
    both = twins(deal.opening_card) & rules.cards
    own = union(one for _, seat, one in plays if seat == you.seat)
    own |= you.hand | you.kitty | union(some for _, some in you.passed)
    led = rules.play.opening_lead is OpeningLead.LOWEST_CLUB
    chosen = not led and any(seat == leader and one & both for _, seat, one in plays)
    if both.bit_count() == 1 or both & own or chosen:
        return {}
    return {named(deal.opening_card): leader}


def _opener(deal: DealView) -> Seat:
    opener = deal.tricks[0][0].leader if deal.tricks else deal.leader
    assert opener is not None, "somebody leads to the first trick"
    return opener


def _barred(
    rules: Rules, reader: Seat, deal: DealView, plays: Sequence[_Play], unseen: CardSet
) -> Mapping[Place, CardSet]:
    barred: dict[Place, CardSet] = {KITTY: NO_CARDS}
    for seat in range(rules.seats):
        if seat != reader:
            barred[seat] = unseen & _lower_clubs(rules, seat, deal)
    situations = _situations(rules, deal.opening_card, plays)
    for (_, seat, _), at in zip(plays, situations, strict=True):
        if seat != reader:
            barred[seat] |= _not_beside(at, unseen & ~barred[seat])
    return barred


def _lower_clubs(rules: Rules, seat: Seat, deal: DealView) -> CardSet:
    """Return the clubs that *seat* cannot have had when the first trick began."""
    if not deal.trick_number or rules.play.opening_lead is OpeningLead.ELDEST:
        return NO_CARDS
    opens = deal.opening_card
    if opens is None:
        return CLUBS
    lower = union(one for one in each(CLUBS) if rank_of(one) < rank_of(opens))
    # Of two holders of the lowest club the first one clockwise opens.
    order = clockwise_from(eldest_of(deal.number, rules.seats), rules.seats)
    for other in order:
        if other == _opener(deal):
            return lower
        if other == seat:
            return lower | twins(opens)
    raise AssertionError("the opener sits at the table")


def _situations(rules: Rules, opens: Card | None, plays: Sequence[_Play]) -> Iterator[Situation]:
    """Yield what each play was made in, as if the hand had held nothing else."""
    broken, running = False, 0
    table: tuple[Card, ...] = ()
    for number, _, one in plays:
        if number != running:
            running, table = number, ()
        yield Situation(one, table, rules.limits, number == 1, broken, opens)
        table = (*table, one)
        broken = broken or breaks_hearts(one, rules.limits)


def _not_beside(at: Situation, others: CardSet) -> CardSet:
    """Return those of *others* beside which the one card of the hand had not been allowed.

    A rule takes a card away because of one other card in the hand, whatever else is there:
    so two cards at a time tell all.
    """
    if not at.trick and at.hearts_broken and not at.first_trick:
        return NO_CARDS
    played = at.hand
    return union(
        one
        for one in each(one_of_each(others))
        if not played & legal_plays(at._replace(hand=played | one))
    )
