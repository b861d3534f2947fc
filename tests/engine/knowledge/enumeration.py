"""All ways to distribute hidden cards, one by one, and whether a deal could have gone so.

A second opinion on `engine.knowledge`, by another way: each distribution is played again,
from the hands as they were when the first trick began.
"""

from collections import Counter
from itertools import combinations
from math import factorial, prod

from engine.cards import each, named, union
from engine.knowledge.evidence import KITTY
from engine.playing import Situation, breaks_hearts, legal_plays, opening
from engine.rules import OpeningLead
from tests.table import apart


def distributions(view, most=3_000):
    """Return each way to distribute the unseen cards that agrees with *view*, place → cards.

    None where there are more than *most* ways to look at.
    """
    rooms = rooms_of(view)
    unseen = sorted(unseen_of(view).elements())
    if factorial(len(unseen)) // prod(map(factorial, rooms.values())) > most:
        return None
    ways = [{}]
    for place, room in rooms.items():
        ways = list(_filled(ways, place, room, unseen))
    return [way for way in ways if could_be(view, way)]


def rooms_of(view):
    """Return how many hidden cards lie at each place; cards on their way lie with their giver."""
    rooms = {seat: seen.hand_size for seat, seen in enumerate(view.seats) if seat != view.you.seat}
    if not view.deal.trick_number:
        for seat in rooms:
            rooms[seat] += view.deal.pass_count * view.seats[seat].has_passed
            rooms[seat] += sum(some.bit_count() for to, some in view.you.passed if to == seat)
    rooms[KITTY] = 0 if view.deal.kitty_taker == view.you.seat else view.deal.kitty_size
    return rooms


def weight(view, way):
    """Return how many ways there are to lay the cards of *way*, each being a card of its own.

    Of the two twins of a code either may be here and the other there. But who knows one of
    them, as its own or by its own pass, knows the other, too; and so does who has seen one
    played by choice. A card that had to be led may have been either.
    """
    you, both = view.you, _codes(view.rules.cards)
    own = [you.hand, you.kitty, *(some for _, some in you.passed)]
    played = [
        ((leader + place) % view.rules.seats, named(one))
        for leader, cards in all_tricks(view.deal)
        for place, one in enumerate(cards)
    ]
    told = sum(map(_codes, own), Counter(one for seat, one in played if seat == you.seat))
    lowest = view.rules.play.opening_lead is OpeningLead.LOWEST_CLUB
    ways = 1
    for one in both:
        lies = [place for place in way for _ in range(way[place][one])]
        if both[one] == 2 and lowest and played and one == played[0][1] and view.deal.opening_card:
            lies.append(played[0][0])
        if not told[one] and len(lies) == 2 and lies[0] != lies[1]:
            ways *= 2
    return ways


def unseen_of(view):
    """Return the cards that *view* does not show, each as one of the first pack, counted."""
    you, tricks = view.you, all_tricks(view.deal)
    shown = [you.hand, you.kitty, *(one for _, cards in tricks for one in cards)]
    return _codes(view.rules.cards) - sum(map(_codes, shown), Counter())


def all_tricks(deal):
    """Return leader and cards of every trick of *deal*, of the one on the table too."""
    tricks = [(trick.leader, trick.cards) for trick, _ in deal.tricks]
    return [*tricks, (deal.leader, deal.trick)] if deal.trick else tricks


def _codes(some):
    return Counter(map(named, each(some)))


def _filled(ways, place, room, unseen):
    for way in ways:
        left = Counter(unseen) - sum(way.values(), Counter())
        for some in set(combinations(sorted(left.elements()), room)):
            yield {**way, place: Counter(some)}


def could_be(view, way):
    """Return whether a deal with the hidden cards as in *way* looks like *view*."""
    rules, deal, seats = view.rules, view.deal, range(view.rules.seats)
    tricks = all_tricks(deal)
    played = [
        (place, (leader + place) % rules.seats, one)
        for leader, cards in tricks
        for place, one in enumerate(cards)
    ]
    hands = [Counter(way[seat]) if seat in way else _codes(view.you.hand) for seat in seats]
    for _, seat, one in played:
        hands[seat][named(one)] += 1
    if any(_codes(some) - hands[target] for target, some in view.you.passed):
        return False
    if not _opens_so(rules, deal, hands, tricks):
        return False
    broken, table = False, ()
    for number, (place, seat, one) in enumerate(played):
        table = () if place == 0 else table
        at = Situation(
            hand=_set(hands[seat]),
            trick=tuple(map(named, table)),
            limits=rules.limits,
            first_trick=number < rules.seats,
            hearts_broken=broken,
            opening_card=deal.opening_card,
        )
        if not named(one) & union(map(named, each(legal_plays(at)))):
            return False
        hands[seat] -= Counter([named(one)])
        table = (*table, one)
        broken = broken or breaks_hearts(one, rules.limits)
    return True


def _opens_so(rules, deal, hands, tricks):
    if not deal.trick_number:
        return True
    leader = tricks[0][0] if tricks else deal.leader
    found, card = opening(rules, apart(map(_set, hands)), deal.number)
    same = (
        card is None
        if deal.opening_card is None
        else card and named(card) == named(deal.opening_card)
    )
    return found == leader and bool(same)


def _set(cards):
    """Return *cards* as a set, twins told apart."""
    return union(apart(list(cards.elements())))
