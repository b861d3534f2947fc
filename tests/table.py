"""States of a game for tests, with cards written as text; no other test file builds one.

Hands are given by name (`seat0="2C 5D"`) and left out where a test does not look at them,
so most states here show a part of a deal only.
"""

from collections.abc import Mapping
from dataclasses import replace

from engine.cards import NO_CARDS, PACK_SIZE, card, codes_of, each, rank_of, suit_of, twins, union
from engine.commands import CreateGame, HumanSeat, LobbyOptions, PassCards, PlayCard
from engine.decide import decide
from engine.errors import RuleViolation
from engine.events import CardsPassed, DealDealt, KittyTaken, PassCompleted
from engine.evolve import evolve, fold
from engine.passing import direction_of, pass_size
from engine.playing import Trick, opening
from engine.presets import PRESETS, preset_rules
from engine.readable import rules_data, rules_from
from engine.seats import dealer_of
from engine.shuffle import NO_SEED, chain
from engine.state import Between, Deal, Lobby, Passing, Player, Playing, Table, turn_of

LINKS = tuple(link.hex() for link in chain(bytes(32)))
COMMITMENT = LINKS[0]

STANDARD = preset_rules("standard", 4)


def link(deal):
    """Return the secret link of a deal of every game in these tests."""
    return LINKS[deal]


def rules(preset="standard", seats=None, **options):
    """Return the rules of *preset* with some options changed, written as clients do.

    Without *seats* at its usual table.

    `rules(seats=5, ending={"target": 50}, reveal="game_end")`
    """
    known = PRESETS[preset]
    # Options may allow more seats than the preset by itself.
    base = seats if seats in known.seats else known.usual_seats
    plain = rules_data(preset_rules(preset, base))
    plain["seats"] = base if seats is None else seats
    for name, value in options.items():
        plain[name] = {**plain[name], **value} if isinstance(value, Mapping) else value
    return rules_from(plain)


# Cards


def names(some):
    """Return the codes of a set of cards, as a set to compare."""
    return set(codes_of(some))


def hands(*each_seat):
    """Return one set of cards per seat: `hands("2C 5D", "AH")`."""
    return tuple(union(in_order(codes)) for codes in each_seat)


def in_order(codes):
    """Return the cards of *codes* one by one, as written; of a code written twice both twins."""
    return apart(card(code) for code in codes.split())


def apart(sets):
    """Return *sets* of cards with twins told apart, so that no card is in two of them."""
    used, result = NO_CARDS, []
    for some in sets:
        other = [one if not one & used else twins(one) & ~one for one in each(some)]
        assert not union(other) & used, "a card of which there are three"
        result.append(union(other))
        used |= result[-1]
    return tuple(result)


def trick(leader, codes):
    """Return the cards on the table in the order played: `trick(0, "8D QS")`."""
    return Trick(leader, in_order(codes))


# States


def a_table(rules=STANDARD, *, totals=None, dealt=(), kitty=NO_CARDS, players=None, lobby=None):
    """Return the lasting part of a game, with the hands of its deals so far.

    Whoever is not named in *players* is a person; *lobby* is open until the first deal.
    """
    somebody = Player(name="Eva", claimed=True, grant=1) if dealt else Player()
    return Table(
        rules=rules,
        players=(somebody,) * rules.seats if players is None else players,
        commitment=COMMITMENT,
        nonce="00" * 32,
        key_id="key",
        host_grant=1,
        lobby=lobby or LobbyOptions(is_open=not dealt),
        client_seeds=(NO_SEED,) * rules.seats if dealt else (),
        totals=(0,) * rules.seats if totals is None else tuple(totals),
        dealt=dealt,
        kitties=(kitty,) * len(dealt),
        scored=max(0, len(dealt) - 1),
        numbers=tuple(range(1, len(dealt) + 1)),
        ended=max(0, len(dealt) - 1),
        revealed_version=0,
    )


def a_lobby(*players, rules=STANDARD, ready=(), **options):
    """Return a lobby: for each seat a name, ``bot``, or None while it is free.

    The seats in *ready* are; *options* are those of the lobby.
    """
    seated = (_seated(name, ready=seat in ready) for seat, name in enumerate(players))
    lobby = LobbyOptions(**options)
    return Lobby(version=1, table=a_table(rules, players=tuple(seated), lobby=lobby))


def _seated(name, *, ready):
    match name:
        case None:
            return Player()
        case "bot":
            return Player(level="easy", name="Easy Bot")
        case _:
            return Player(name=name, claimed=True, grant=1, ready=ready)


def a_deal(
    *,
    rules=STANDARD,
    trick=None,
    leads=0,
    first_trick=False,
    hearts_broken=False,
    taken=None,
    totals=None,
    deal=1,
    kitty="",
    **seats,
):
    """Return a deal in play; whoever comes after *trick*, else *leads*, is to act.

    *taken* has the cards each seat took, seat 0 first. A *kitty* still lies there.
    """
    lies = Trick(leads, ()) if trick is None else trick
    taken = hands(*taken) if taken else (NO_CARDS,) * rules.seats
    (kitty,) = hands(kitty)
    held = _held(rules, seats)
    if rules.deck.packs > 1:
        kitty, *rest = apart([kitty, *held, *taken, *lies.cards])
        held, rest = tuple(rest[: rules.seats]), rest[rules.seats :]
        taken, lies = tuple(rest[: rules.seats]), Trick(lies.leader, tuple(rest[rules.seats :]))
    fallen = dict(lies.plays(rules.seats))
    dealt = tuple(hand | fallen.get(seat, NO_CARDS) for seat, hand in enumerate(held))
    return Playing(
        version=20,
        table=a_table(rules, totals=totals, dealt=(dealt,) * deal, kitty=kitty),
        deal=_settled(rules, deal),
        hands=held,
        leader=lies.leader,
        trick=lies.cards,
        number=1 if first_trick else 2,
        taken=taken,
        won=(0,) * rules.seats,
        tricks=(),
        hearts_broken=hearts_broken,
        turn_id=20,
    )


def a_new_deal(*, rules=STANDARD, deal=1, totals=None, kitty="", **seats):
    """Return the state right after a deal with these hands, in its pass if there is one."""
    held, (kitty,) = _held(rules, seats), hands(kitty)
    if rules.deck.packs > 1:
        kitty, *held = apart([kitty, *held])
    held = tuple(held)
    direction = direction_of(rules, deal)
    count = pass_size(rules, direction)
    leader, opens = (None, None) if count else opening(rules, held, deal)
    dealer = dealer_of(deal, rules.seats)
    before = a_table(rules, totals=totals, dealt=(held,) * deal)
    before = replace(
        before, dealt=before.dealt[1:], kitties=before.kitties[1:], numbers=before.numbers[:-1]
    )
    dealt = DealDealt(deal, dealer, direction, count, leader, opens, held, kitty)
    return evolve(Between(10, before, None), dealt)


def a_last_card(*taken, rules=STANDARD, totals=None, deal=1, rest=None):
    """Return a deal before its last card; after it the seats will have *taken* these cards.

    Whatever *taken* does not name goes to the seat *rest*, else to the first seat that
    took something; the same seat takes the last trick.
    """
    sets = [*apart(hands(*taken)), *[NO_CARDS] * (rules.seats - len(taken))]
    taker = rest if rest is not None else next(seat for seat, some in enumerate(sets) if some)
    for some in sets:
        assert not some & ~rules.cards, "a card that is not in play"
    sets[taker] |= rules.cards & ~union(sets)

    plays = _harmless_trick(sets[taker], rules)
    sets[taker] &= ~union(plays)
    last = {f"seat{(taker - 1) % rules.seats}": " ".join(codes_of(plays[-1]))}
    game = a_deal(rules=rules, trick=Trick(taker, plays[:-1]), totals=totals, deal=deal, **last)
    return replace(game, taken=tuple(sets), hearts_broken=True)


def _harmless_trick(some, rules):
    """Return cards worth nothing, as many as seats, the first of them the winner."""
    plain = [one for one in each(some) if one not in rules.points]
    best = max(plain, key=rank_of)
    others = [one for one in plain if one is not best and suit_of(one) != suit_of(best)]
    lower = [one for one in plain if one is not best and suit_of(one) == suit_of(best)]
    return (best, *(others + lower)[: rules.seats - 1])


def _held(rules, seats):
    assert seats.keys() <= {f"seat{seat}" for seat in range(rules.seats)}
    return hands(*(seats.get(f"seat{seat}", "") for seat in range(rules.seats)))


def _settled(rules, deal):
    return Deal(
        number=deal,
        dealer=dealer_of(deal, rules.seats),
        direction=None,
        pass_count=0,
        opening_card=rules.opening_card,
        passes=(),
        received=(),
    )


def twins_exchanged(state, some):
    """Return a running deal with the twins of *some* exchanged wherever they are and were."""
    codes = twins(some) & twins(some) >> PACK_SIZE

    def of(cards):
        first, second = cards & codes, cards >> PACK_SIZE & codes
        return cards & ~twins(codes) | first << PACK_SIZE | second

    def each_of(sets):
        return tuple(None if cards is None else of(cards) for cards in sets)

    deal, table = state.deal, state.table
    deal = replace(
        deal,
        opening_card=None if deal.opening_card is None else of(deal.opening_card),
        passes=tuple(map(each_of, deal.passes)),
        received=tuple(tuple((giver, of(gift)) for giver, gift in got) for got in deal.received),
    )
    table = replace(table, dealt=tuple(map(each_of, table.dealt)), kitties=each_of(table.kitties))
    state = replace(state, deal=deal, table=table, hands=each_of(state.hands))
    if isinstance(state, Passing):
        passed = tuple(None if cards is None else each_of(cards) for cards in state.passed)
        return replace(state, passed=passed)
    return replace(
        state,
        trick=each_of(state.trick),
        taken=each_of(state.taken),
        tricks=tuple((Trick(t.leader, each_of(t.cards)), taker) for t, taker in state.tricks),
    )


def with_swapped(state, one, other):
    """Return *state* with two cards exchanged in hands and in what was dealt and passed."""
    swap = _Swap(one, other)
    *earlier, dealt = state.table.dealt
    *kitties, kitty = state.table.kitties
    deal = replace(
        state.deal,
        passes=tuple(swap.each(some) for some in state.deal.passes),
        received=tuple(swap.gifts(some) for some in state.deal.received),
    )
    state = replace(
        state,
        deal=deal,
        table=replace(
            state.table, dealt=(*earlier, swap.each(dealt)), kitties=(*kitties, swap.of(kitty))
        ),
        hands=swap.each(state.hands),
    )
    if isinstance(state, Passing):
        return replace(state, passed=tuple(some and swap.each(some) for some in state.passed))
    return state


def event_with_swapped(event, one, other):
    """Return an event of a deal with two cards exchanged wherever it has cards of a seat."""
    swap = _Swap(one, other)
    match event:
        case DealDealt(hands=hands, kitty=kitty):
            return replace(event, hands=swap.each(hands), kitty=swap.of(kitty))
        case KittyTaken(cards=some):
            return replace(event, cards=swap.of(some))
        case CardsPassed(cards=some):
            return replace(event, cards=swap.each(some))
        case PassCompleted(received=received):
            return replace(event, received=tuple(swap.gifts(some) for some in received))


class _Swap:
    """Two cards that change places."""

    def __init__(self, one, other):
        self.both = one | other

    def of(self, some):
        has_one_of_them = (some & self.both).bit_count() == 1
        return some ^ self.both if has_one_of_them else some

    def each(self, sets):
        return tuple(self.of(some) for some in sets)

    def gifts(self, received):
        return tuple((giver, self.of(some)) for giver, some in received)


# Commands


def create(rules=STANDARD, seats=None, claim=None, **options):
    """Return the command that opens a table, of people unless *seats* says otherwise.

    *options* are those of the lobby.
    """
    plan = (HumanSeat(),) * rules.seats if seats is None else seats
    return CreateGame(
        rules,
        plan,
        COMMITMENT,
        nonce="00" * 32,
        key_id="key",
        claim=claim,
        lobby=LobbyOptions(**options),
    )


def play(seat, code):
    """Return the command that plays one card."""
    return PlayCard(seat, card(code))


def pass_cards(seat, codes):
    """Return the command that passes these cards, in this order."""
    return PassCards(seat, tuple(card(code) for code in codes.split()))


def after(state, *commands):
    """Return the state after *commands*, one by one."""
    for command in commands:
        _, state = step(state, command)
    return state


def step(state, command):
    """Return the events that *command* causes, and the state after them."""
    events = decide(state, command, link)
    return events, fold(state, events)


def refusal(state, command):
    """Return the code with which *command* is refused, or None."""
    try:
        decide(state, command, link)
    except RuleViolation as no:
        return no.code
    return None


def to_act(game):
    """Return the one seat that *game* waits for."""
    (seat,) = turn_of(game).seats
    return seat


def accepted(game):
    """Return the codes of the cards that the seat to act may play, asked one by one."""
    seat = to_act(game)
    held = codes_of(game.hands[seat])
    return {code for code in held if refusal(game, play(seat, code)) is None}


def last_card(game):
    """Return the command that plays the only card of the seat to act."""
    return PlayCard(to_act(game), game.hands[to_act(game)])


def of_type(kind, events):
    """Return the only event of *kind* among *events*."""
    (event,) = [event for event in events if isinstance(event, kind)]
    return event
