"""Deals played out by rules of thumb, tens of thousands a second: the inside of a search.

One file in the subset of Python that mypyc compiles. It runs as it stands, and some thirty
times as fast once compiled; either way the same numbers come out. That asks for a manner of
its own: cards are masks of one pack's 52 bits (`engine.cards`), a second mask has the cards
that are there twice, numbers never need more than 63 bits, wide masks are written out, and
functions are long where calls would cost more than what is called.

Nothing here knows a preset, or what a seat may see: tables come from `engine.playouts.tables`
and worlds from who samples them.
"""

from typing import Final

from engine.playouts.native import i64

SUIT_BITS: Final = 8191
ONE_OF_EACH_SUIT: Final = 549822930945
DIAMOND_BITS: Final = 67100672
SPADE_BITS: Final = 549688705024
HEART_BITS: Final = 4503049871556608
LOWEST_SPADE: Final = 67108864
LOWEST_HEART: Final = 549755813888

LEHMER: Final = 48271
LEHMER_PRIME: Final = 2147483647
"""Park and Miller's generator: all its bits are good, and it fits in 63 bits everywhere."""


def _tops() -> list[i64]:
    tops: list[i64] = [0]
    for some in range(1, SUIT_BITS + 1):
        tops.append(1 << (some.bit_length() - 1))
    return tops


TOP: Final = _tops()
"""The highest card of each set of cards of one suit."""


class Table:
    """What the rules say, as sets of cards.

    *throws* are groups of cards in the order in which they are thrown. *worths* are, for each
    of *suits*, which are shifts, the points of every set of its cards; *boons* the same for
    bonus cards. A moon needs *moon*, of which *moon_twice* twice; a sun all. *lasts* says that
    a deal is not settled before its last trick.
    """

    def __init__(self) -> None:
        self.seats: i64 = 4
        self.two_packs: i64 = 0
        self.cancels: i64 = 0
        self.lasts: i64 = 0
        self.penalties: i64 = 0
        self.bonuses: i64 = 0
        self.barred_first: i64 = 0
        self.unbroken_lead: i64 = 0
        self.unbroken_follow: i64 = 0
        self.free_among: i64 = 0
        self.breaks: i64 = 0
        self.opening: i64 = 0
        self.kitty_to: i64 = 0
        self.throws: list[i64] = []
        self.suits: list[i64] = []
        self.worths: list[list[i64]] = []
        self.boon_suits: list[i64] = []
        self.boons: list[list[i64]] = []
        self.moon: i64 = 0
        self.moon_twice: i64 = 0
        self.moon_points: i64 = 0
        self.subtracts: i64 = 0
        self.absorbs: i64 = 0
        self.has_sun: i64 = 0
        self.sun: i64 = 0
        self.sun_twice: i64 = 0
        self.sun_points: i64 = 0
        self.no_trick: i64 = 0
        self.whim: i64 = 64
        """Of 256, how often a seat plays any card."""


class Player:
    """A seat in a deal that is played out; *left* is the seat to its left."""

    def __init__(self) -> None:
        self.hand: i64 = 0
        self.twice: i64 = 0
        self.taken: i64 = 0
        self.taken_twice: i64 = 0
        self.played: i64 = 0
        self.points: i64 = 0
        self.left: Player = self


class Start:
    """What everybody sees of a deal at the moment from which it is played out.

    *place* counts the cards on the table. *pile* has them and those that ride, *best* the one
    that takes the trick so far, 0 where none does. *once* and *gone* matter where equal cards
    cancel: the cards of the suit led, and those of them that are there twice. *opens* are the
    cards of which one has to open. *broken* and *first* are 0 or 1.
    """

    def __init__(self, seats: i64) -> None:
        self.seat: i64 = 0
        self.place: i64 = 0
        self.suit: i64 = 0
        self.best: i64 = 0
        self.winner: i64 = 0
        self.pile: i64 = 0
        self.pile_twice: i64 = 0
        self.once: i64 = 0
        self.gone: i64 = 0
        self.opens: i64 = 0
        self.broken: i64 = 0
        self.first: i64 = 0
        self.taken: list[i64] = [0] * seats
        self.taken_twice: list[i64] = [0] * seats
        self.played: list[i64] = [0] * seats


class World:
    """Where the hidden cards lie: one of the ways that agree with what is known.

    *hands* has for each seat the cards it holds, *twice* those of them it holds twice; *kitty*
    is what nobody has taken yet.
    """

    def __init__(self, hands: list[i64], twice: list[i64], kitty: i64, kitty_twice: i64) -> None:
        self.hands = hands
        self.twice = twice
        self.kitty: i64 = kitty
        self.kitty_twice: i64 = kitty_twice


class Playout:
    """A deal that is played out, again and again; *draw* is the state of its chance."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.draw: i64 = 1
        self.broken: i64 = 0
        self.first: i64 = 0
        self.live: i64 = 0
        self.players: list[Player] = [Player() for _ in range(table.seats)]
        before: Player = self.players[-1]
        for player in self.players:
            before.left = player
            before = player


def suit_shift(card: i64) -> i64:
    """Return by how many bits the suit of *card* is shifted: 0, 13, 26 or 39."""
    if card < LOWEST_SPADE:
        if card <= SUIT_BITS:
            return 0
        return 13
    if card < LOWEST_HEART:
        return 26
    return 39


def _any_of(state: Playout, some: i64) -> i64:
    """Return a card of *some*: the next one up from a place that is drawn."""
    place: i64 = (state.draw >> 8) % 52
    up: i64 = some >> place << place
    if up == 0:
        up = some
    return up & -up


def _lead(state: Playout, hand: i64) -> i64:
    """Return what a seat leads: mostly low, and of a suit in which others hold more."""
    table = state.table
    choice: i64 = hand
    some: i64
    if state.first:
        some = choice & ~table.barred_first
        if some:
            choice = some
    if not state.broken and table.unbroken_lead:
        some = choice & ~table.unbroken_lead
        if some and choice & ~table.free_among:
            choice = some
    if choice & (choice - 1) == 0:
        return choice
    state.draw = state.draw * LEHMER % LEHMER_PRIME
    if state.draw & 255 < table.whim:
        return _any_of(state, choice)
    others: i64 = state.live & ~hand
    some = choice & (
        (TOP[others & SUIT_BITS] - 1)
        | (TOP[others >> 13 & SUIT_BITS] - 1 << 13) & DIAMOND_BITS
        | (TOP[others >> 26 & SUIT_BITS] - 1 << 26) & SPADE_BITS
        | (TOP[others >> 39 & SUIT_BITS] - 1 << 39) & HEART_BITS
    )
    if some:
        choice = some
    ranks: i64 = (choice | choice >> 13 | choice >> 26 | choice >> 39) & SUIT_BITS
    choice &= (ranks & -ranks) * ONE_OF_EACH_SUIT
    return choice & -choice


def _follow(state: Playout, choice: i64, best: i64, pile: i64, is_last: bool) -> i64:
    """Return what a seat plays of *choice*, its cards of the suit led: mostly below the best."""
    table = state.table
    some: i64
    if state.first:
        some = choice & ~table.barred_first
        if some:
            choice = some
    if not state.broken and table.unbroken_follow:
        some = choice & ~table.unbroken_follow
        if some:
            choice = some
    if choice & (choice - 1) == 0:
        return choice
    state.draw = state.draw * LEHMER % LEHMER_PRIME
    if state.draw & 255 < table.whim:
        return _any_of(state, choice)
    shift: i64 = suit_shift(choice & -choice)
    under: i64 = choice & (best - 1) if best else choice
    if under and not (is_last and pile & table.penalties == 0):
        return TOP[under >> shift] << shift
    some = choice & ~table.penalties
    if some:
        choice = some
    if is_last:
        return TOP[choice >> shift] << shift
    return choice & -choice


def _throw(state: Playout, choice: i64) -> i64:
    """Return what a seat plays of *choice*, which has none of the suit led."""
    table = state.table
    some: i64
    if state.first:
        some = choice & ~table.barred_first
        if some:
            choice = some
    if not state.broken and table.unbroken_follow:
        some = choice & ~table.unbroken_follow
        if some:
            choice = some
    if choice & (choice - 1) == 0:
        return choice
    state.draw = state.draw * LEHMER % LEHMER_PRIME
    if state.draw & 255 < table.whim:
        return _any_of(state, choice)
    for group in table.throws:
        some = choice & group
        if some:
            return some & -some
    return choice & -choice


def play_out(state: Playout, start: Start, world: World, card: i64, draw: i64) -> None:
    """Play *card* for the seat that is to act in *world*, and the deal to its end.

    With *card* 0 that seat, too, plays by the rules of thumb. Each player's cards taken are
    what is left to read; *draw*, 1 to 2147483646, fixes all chance.
    """
    table = state.table
    players = state.players
    player: Player
    live: i64 = 0
    live_twice: i64 = 0
    hand: i64
    number: i64 = 0
    for player in players:
        hand = world.hands[number]
        live_twice |= live & hand
        live |= hand
        player.hand = hand
        player.taken = start.taken[number]
        if table.two_packs:
            player.twice = world.twice[number]
            live_twice |= player.twice
            player.taken_twice = start.taken_twice[number]
            player.played = start.played[number]
        number += 1
    last: i64 = table.seats - 1
    counters: i64 = table.penalties | table.bonuses
    kitty: i64 = world.kitty
    breaks: i64 = table.breaks
    place: i64 = start.place
    best: i64 = start.best
    pile: i64 = start.pile
    pile_twice: i64 = start.pile_twice
    once: i64 = start.once
    gone: i64 = start.gone
    suit: i64 = start.suit
    choice: i64
    winner: Player = players[start.winner]
    player = players[start.seat]
    state.draw = draw
    state.broken = start.broken
    state.first = start.first
    state.live = live
    opens: i64 = start.opens
    while True:
        hand = player.hand
        if place == 0:
            if card == 0:
                card = opens & hand
                if card:
                    card &= -card
                else:
                    card = _lead(state, hand)
            opens = 0
            suit = SUIT_BITS
            if card > SUIT_BITS:
                if card < LOWEST_SPADE:
                    suit = DIAMOND_BITS
                elif card < LOWEST_HEART:
                    suit = SPADE_BITS
                else:
                    suit = HEART_BITS
            best = card
            winner = player
            once = card
            gone = 0
        else:
            if card == 0:
                choice = hand & suit
                if choice == 0:
                    card = hand
                    if hand & (hand - 1):
                        card = _throw(state, hand)
                elif choice & (choice - 1):
                    card = _follow(state, choice, best, pile, place == last)
                else:
                    card = choice
            if card & suit:
                if table.cancels:
                    gone |= once & card
                    once |= card
                    choice = once & ~gone
                    best = 0
                    if choice:
                        number = suit_shift(card)
                        best = TOP[choice >> number] << number
                elif card > best:
                    best = card
                    winner = player
        if card & breaks:
            state.broken = 1
        if table.two_packs:
            player.played = card
            if player.twice & card:
                player.twice ^= card
            else:
                player.hand = hand ^ card
            if live_twice & card:
                live_twice ^= card
            else:
                state.live ^= card
            pile_twice |= pile & card
        else:
            player.hand = hand ^ card
            state.live ^= card
        pile |= card
        card = 0
        if place < last:
            place += 1
            player = player.left
            continue
        # The trick is over.
        place = 0
        state.first = 0
        player = player.left
        if table.cancels:
            winner = player
            if best:
                while winner.played != best:
                    winner = winner.left
            elif state.live:
                continue
        if kitty and (
            table.kitty_to == 0
            or state.live == 0
            or (table.kitty_to == 1 and pile & table.penalties)
        ):
            pile_twice |= world.kitty_twice | pile & kitty
            pile |= kitty
            kitty = 0
        if table.two_packs:
            winner.taken_twice |= pile_twice | winner.taken & pile
            pile_twice = 0
        winner.taken |= pile
        pile = 0
        player = winner
        if state.live == 0 or ((state.live | kitty) & counters == 0 and not table.lasts):
            return


def score(state: Playout) -> None:
    """Count each player's *points* of a deal that was played out, as its total changes.

    A moon that leaves a choice goes to the others: against them both choices are worth the
    same.
    """
    table = state.table
    shooter: Player | None = None
    worth: i64 = 0
    for player in state.players:
        if table.has_sun and table.sun & ~player.taken == 0:
            if table.sun_twice & ~player.taken_twice == 0:
                shooter = player
                worth = table.sun_points
        elif table.moon and table.moon & ~player.taken == 0:
            if table.moon_twice & ~player.taken_twice == 0:
                shooter = player
                worth = table.moon_points
    for player in state.players:
        if shooter is None:
            player.points = _sum(table.suits, table.worths, player)
        elif player is shooter:
            player.points = -worth if table.subtracts else 0
        else:
            player.points = 0 if table.subtracts else worth
        if player.taken == 0:
            player.points += table.no_trick
        elif table.bonuses and not (player is shooter and table.absorbs):
            player.points += _sum(table.boon_suits, table.boons, player)


def _sum(suits: list[i64], worths: list[list[i64]], player: Player) -> i64:
    points: i64 = 0
    number: i64 = 0
    for shift in suits:
        points += worths[number][player.taken >> shift & SUIT_BITS]
        if player.taken_twice:
            points += worths[number][player.taken_twice >> shift & SUIT_BITS]
        number += 1
    return points


def gains(
    state: Playout, start: Start, worlds: list[World], cards: list[i64], seat: i64, draw: i64
) -> list[i64]:
    """Return what each of *cards* gains *seat*, world by world, over the other seats.

    A gain is the sum of the others' points less, for each of them, its own. In one world all
    *cards* meet the same chance, which *draw* fixes.
    """
    found: list[i64] = []
    own: Player = state.players[seat]
    everybody: i64 = state.table.seats
    total: i64
    for world in worlds:
        draw = draw * LEHMER % LEHMER_PRIME
        for card in cards:
            play_out(state, start, world, card, draw)
            score(state)
            total = 0
            for player in state.players:
                total += player.points
            found.append(total - everybody * own.points)
    return found
