"""Playing: which cards may be played, and who takes a trick.

Source: docs/rules.md, section 2.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias, assert_never

from engine.cards import (
    CLUBS,
    HEARTS,
    NO_CARDS,
    QUEEN_OF_SPADES,
    SUIT_NAMES,
    Card,
    CardSet,
    code_of,
    codes_of,
    in_deck_order,
    lowest,
    one_of_each,
    rank_of,
    suit_of,
    twins,
    union,
)
from engine.errors import (
    CardNotInHand,
    HeartsNotBroken,
    IllegalMove,
    IllegalPlay,
    MustFollowSuit,
    MustLeadAClub,
    MustLeadLowestClub,
    NoPointsOnFirstTrick,
    QueenNotBeforeHearts,
)
from engine.rules import KittyTo, OpeningLead, PlayLimits, Rules
from engine.seats import PerSeat, Seat, clockwise_from, eldest_of, left_of


class Trick(NamedTuple):
    """Cards on the table in the order played, clockwise from the leader."""

    leader: Seat
    cards: tuple[Card, ...]

    def plays(self, seats: int) -> tuple[tuple[Seat, Card], ...]:
        """Return who played what, at a table of *seats*."""
        return tuple((left_of(self.leader, seats, i), one) for i, one in enumerate(self.cards))


Tricks: TypeAlias = tuple[tuple[Trick, Seat | None], ...]
"""Complete tricks with their winners, oldest first; None for a trick that nobody won."""


class Situation(NamedTuple):
    """What decides which cards of a hand may be played: the seat's own cards and public facts."""

    hand: CardSet
    trick: tuple[Card, ...]
    limits: PlayLimits
    first_trick: bool
    hearts_broken: bool
    opening_card: Card | None


def legal_plays(at: Situation) -> CardSet:
    """Return the cards of the hand that may be played now; never empty for a hand with cards.

    Source: docs/rules.md, section 2.
    """
    choice = at.hand
    for _, left in _rules_in_order(at):
        choice = left
    return choice


def why_not(one: Card, at: Situation) -> IllegalMove | None:
    """Return the first rule that forbids playing *one* now, or None if it may be played."""
    if not one & at.hand:
        return CardNotInHand(f"You do not hold {code_of(one)}.")
    for rule, left in _rules_in_order(at):
        if not one & left:
            return _refusal(rule, one, left, at)
    return None


def forbidden(at: Situation) -> list[tuple[Card, IllegalPlay]]:
    """Return the cards of the hand that may not be played now, with the rules that say so.

    They come in deck order, one of two twins.
    """
    reasons = ((one, why_not(one, at)) for one in in_deck_order(one_of_each(at.hand)))
    return [(one, reason) for one, reason in reasons if isinstance(reason, IllegalPlay)]


def _rules_in_order(at: Situation) -> Iterator[tuple[type[IllegalPlay], CardSet]]:
    """Yield each rule as the table applies it, with what is left of the hand after it.

    Each rule narrows the choice; ``or choice`` drops a rule that would leave nothing.
    """
    if not at.trick and at.first_trick and at.opening_card:
        if at.limits.opening is OpeningLead.LOWEST_CLUB:
            yield MustLeadLowestClub, at.hand & twins(at.opening_card)
            return
        yield MustLeadAClub, at.hand & CLUBS
        return

    choice = at.hand
    if at.trick:
        choice = choice & suit_of(at.trick[0]) or choice
        yield MustFollowSuit, choice
    if at.first_trick:
        choice = choice & ~at.limits.barred_on_first_trick or choice
        yield NoPointsOnFirstTrick, choice
    if not at.hearts_broken:
        choice = choice & ~_held_back(choice, at) or choice
        yield HeartsNotBroken, choice


def _held_back(choice: CardSet, at: Situation) -> CardSet:
    if at.trick:
        return at.limits.unbroken_follow
    only_free = not choice & ~at.limits.free_among
    return NO_CARDS if only_free else at.limits.unbroken_lead


def _refusal(rule: type[IllegalPlay], one: Card, left: CardSet, at: Situation) -> IllegalPlay:
    code, may = code_of(one), ", ".join(codes_of(left))
    if rule is MustFollowSuit:
        led = SUIT_NAMES[code_of(at.trick[0])[1]].capitalize()
        return MustFollowSuit(f"{led} were led and you hold {may}.")
    if rule is MustLeadLowestClub:
        return MustLeadLowestClub(f"The deal opens with {may}.")
    if rule is MustLeadAClub:
        return MustLeadAClub(f"The deal opens with a club and you hold {may}.")
    if rule is NoPointsOnFirstTrick:
        return NoPointsOnFirstTrick(f"{code} counts points on the first trick; you hold {may}.")
    if one & QUEEN_OF_SPADES:
        return QueenNotBeforeHearts(f"Hearts are not broken; beside {code} you hold {may}.")
    assert one & HEARTS, "only hearts and the queen are held back"
    return HeartsNotBroken(f"Hearts are not broken; you hold {may}.")


def breaks_hearts(one: Card, limits: PlayLimits) -> bool:
    """Return whether playing *one* breaks hearts."""
    return bool(one & limits.breaks_hearts)


def trick_winner(trick: Trick, seats: int, *, cancel_pairs: bool) -> Seat | None:
    """Return who takes the complete *trick*, or None if nobody does."""
    best = winning_card(trick.cards, cancel_pairs=cancel_pairs)
    return None if best is None else left_of(trick.leader, seats, trick.cards.index(best))


def winning_card(cards: tuple[Card, ...], *, cancel_pairs: bool) -> Card | None:
    """Return the card that takes *cards*, a trick or its beginning: the highest of the suit led.

    Of two equal cards the one played first is the higher; with *cancel_pairs* neither wins,
    and there may be no card left that does.

    Source: docs/rules.md, section 5.
    """
    led = suit_of(cards[0])
    choice = [one for one in cards if one & led]
    if cancel_pairs:
        table = union(choice)
        choice = [one for one in choice if twins(one) & table == one]
    return max(choice, key=rank_of, default=None)


def riding(tricks: Tricks) -> tuple[Card, ...]:
    """Return the cards of the last of *tricks* that nobody won, in the order played."""
    cards: tuple[Card, ...] = ()
    place = len(tricks)
    while place and tricks[place - 1][1] is None:
        place -= 1
        cards = tricks[place][0].cards + cards
    return cards


def takes_kitty(rules: Rules, trick: CardSet, *, is_last: bool) -> bool:
    """Return whether a kitty that still lies there goes with the cards of *trick*."""
    match rules.deck.kitty_to:
        case KittyTo.FIRST_TRICK:
            return True
        case KittyTo.FIRST_PENALTY_TRICK:
            return is_last or bool(trick & rules.penalties)
        case KittyTo.LAST_TRICK:
            return is_last
        case other:
            assert_never(other)


def opening(rules: Rules, hands: PerSeat[CardSet], deal: int) -> tuple[Seat, Card | None]:
    """Return who leads to the first trick, and the lowest club that says so.

    The eldest leads, and the card is None, where the rules say so or nobody holds a club.
    """
    eldest = eldest_of(deal, rules.seats)
    clubs = [lowest(hand & CLUBS) for hand in hands]
    if rules.play.opening_lead is OpeningLead.ELDEST or not any(clubs):
        return eldest, None
    lowest_club = min((one for one in clubs if one), key=rank_of)
    # Of two lowest clubs the first holder clockwise from the dealer's left opens.
    holder = next(
        seat
        for seat in clockwise_from(eldest, rules.seats)
        if clubs[seat] and rank_of(clubs[seat]) == rank_of(lowest_club)
    )
    return holder, clubs[holder]
