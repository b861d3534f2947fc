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

from engine.playouts.boldness import bold_follow, bold_lead, bold_throw, can_shoot
from engine.playouts.counting import put_end, score
from engine.playouts.native import i64
from engine.playouts.shapes import Player, Playout, Start, World
from engine.playouts.suits import (
    DIAMOND_BITS,
    HEART_BITS,
    LOWEST_HEART,
    LOWEST_SPADE,
    ONE_OF_EACH_SUIT,
    SPADE_BITS,
    SUIT_BITS,
    TOP,
    suit_shift,
)

LEHMER: Final = 48271
LEHMER_PRIME: Final = 2147483647
"""Park and Miller's generator: all its bits are good, and it fits in 63 bits everywhere.

Every play draws once, whether it has a choice or not: what falls by chance at a place in the
deal is then the same for all cards that are compared, and known before anything is played.
"""

NOBODY: Final = -1
"""The seat of who goes for a moon, where nobody does."""

BUILT_FROM: Final = ""
"""What a compiled kernel was compiled from: `deploy/build_kernel.py` writes it there."""


def play_out(  # noqa: C901, PLR0912, PLR0913, PLR0915, PLR0917 - a call costs more than what it would do
    state: Playout, start: Start, world: World, card: i64, draw: i64, bold: i64 = NOBODY
) -> None:
    """Play *card* for the seat that is to act in *world*, and the deal to its end.

    With *card* 0 that seat, too, plays by the rules of thumb. The seat *bold* goes for a moon
    until another has a card that the moon needs. Each player's cards taken are what is left to
    read; *draw*, 1 to 2147483646, fixes all chance.
    """
    table = state.table
    players = state.players
    two_packs: i64 = table.two_packs
    cancels: i64 = table.cancels
    penalties: i64 = table.penalties
    bonuses: i64 = table.bonuses
    counters: i64 = penalties | bonuses
    breaks: i64 = table.breaks
    whim: i64 = table.whim
    lasts: i64 = table.lasts
    last: i64 = table.seats - 1
    player: Player
    hand: i64
    live: i64 = 0
    live_twice: i64 = 0
    number: i64 = 0
    for player in players:
        hand = world.hands[number]
        player.taken = start.taken[number]
        if two_packs:
            player.twice = world.twice[number]
            player.taken_twice = start.taken_twice[number]
            player.played = start.played[number]
            live_twice |= live & hand | player.twice
        live |= hand
        player.hand = hand
        number += 1  # noqa: SIM113 - compiled, `enumerate` is slower
    kitty: i64 = world.kitty
    if kitty and start.kitty_seat >= 0:
        player = players[start.kitty_seat]
        player.taken_twice |= world.kitty_twice | player.taken & kitty
        player.taken |= kitty
        kitty = 0
    opens: i64 = start.opens
    place: i64 = start.place
    pile: i64 = start.pile
    pile_twice: i64 = start.pile_twice
    once: i64 = start.once
    gone: i64 = start.gone
    best: i64 = start.best
    # The best card and all below it: of the suit led these do not take the trick.
    beaten: i64 = best + best - 1 if best else 0
    suit: i64 = start.suit
    shift: i64 = suit_shift(suit & -suit)
    barred: i64 = table.barred_first if start.first else 0
    late_leads: i64 = 0 if start.broken else table.unbroken_lead
    late: i64 = 0 if start.broken else table.unbroken_follow
    # From this place on a trick gets no dearer.
    calm: i64 = 1 if barred and (kitty == 0 or table.kitty_to) else last
    choice: i64
    some: i64
    others: i64
    winner: Player = players[start.winner]
    shooter: Player = state.nobody
    if bold >= 0 and can_shoot(table, start, bold):
        shooter = players[bold]
    player = players[start.seat]
    while True:
        hand = player.hand
        if place == 0:
            # Lead: the lowest card of a suit in which others hold a higher one.
            if card == 0:
                draw = draw * LEHMER % LEHMER_PRIME
                choice = hand & opens
                if choice == 0:
                    choice = hand
                    if barred:
                        some = choice & ~barred
                        if some:
                            choice = some
                    if late_leads and choice & ~table.free_among:
                        some = choice & ~late_leads
                        if some:
                            choice = some
                if choice & (choice - 1) == 0:
                    card = choice
                elif player is shooter:
                    card = bold_lead(choice, live & ~hand, table.moon)
                elif draw & 255 < whim:
                    number = (draw >> 8 & 1023) * 52 >> 10
                    some = choice >> number << number
                    card = some & -some if some else choice & -choice
                else:
                    some = choice & ~table.shy
                    if some:
                        choice = some
                    others = live & ~hand
                    some = choice
                    while some:
                        card = (some | some >> 13 | some >> 26 | some >> 39) & SUIT_BITS
                        card = (card & -card) * ONE_OF_EACH_SUIT & some
                        card &= -card
                        if card <= SUIT_BITS:
                            suit = SUIT_BITS
                        elif card < LOWEST_SPADE:
                            suit = DIAMOND_BITS
                        elif card < LOWEST_HEART:
                            suit = SPADE_BITS
                        else:
                            suit = HEART_BITS
                        if others & suit > card:
                            break
                        some ^= card
                    else:
                        card = (choice | choice >> 13 | choice >> 26 | choice >> 39) & SUIT_BITS
                        card = (card & -card) * ONE_OF_EACH_SUIT & choice
                        card &= -card
            opens = 0
            if card <= SUIT_BITS:
                suit = SUIT_BITS
                shift = 0
            elif card < LOWEST_SPADE:
                suit = DIAMOND_BITS
                shift = 13
            elif card < LOWEST_HEART:
                suit = SPADE_BITS
                shift = 26
            else:
                suit = HEART_BITS
                shift = 39
            beaten = card + card - 1
            winner = player
            if cancels:
                best = once = card
                gone = 0
        else:
            if card == 0:
                draw = draw * LEHMER % LEHMER_PRIME
                choice = hand & suit
                if choice:
                    # Follow: below the best as high as possible, over it with what is cheap.
                    if choice & (choice - 1):
                        if barred:
                            some = choice & ~barred
                            if some:
                                choice = some
                        if late:
                            some = choice & ~late
                            if some:
                                choice = some
                        if player is shooter:
                            others = live & ~hand & ~pile
                            some = table.moon & (pile | others & suit)
                            card = bold_follow(choice, others, beaten, some, last - place)
                        elif draw & 255 < whim:
                            number = ((draw >> 8 & 1023) * 13 >> 10) + shift
                            some = choice >> number << number
                            card = some & -some if some else choice & -choice
                        else:
                            if bonuses:
                                some = choice & ~bonuses
                                if place >= calm:
                                    some |= choice & ~beaten
                                if some:
                                    choice = some
                            some = choice & beaten
                            if cancels:
                                some |= choice & once
                            if some and (
                                place < calm or (pile & penalties and pile & bonuses == 0)
                            ):
                                card = TOP[some >> shift] << shift
                            else:
                                some = choice & ~penalties
                                if some:
                                    choice = some
                                if place < calm:
                                    card = choice & -choice
                                else:
                                    card = TOP[choice >> shift] << shift
                    else:
                        card = choice
                elif hand & (hand - 1):
                    # Throw: what it is best to be rid of.
                    choice = hand
                    if barred:
                        some = choice & ~barred
                        if some:
                            choice = some
                    if late:
                        some = choice & ~late
                        if some:
                            choice = some
                    if player is shooter:
                        card = bold_throw(choice, live & ~hand & ~pile, table.moon)
                    elif draw & 255 < whim:
                        number = (draw >> 8 & 1023) * 52 >> 10
                        some = choice >> number << number
                        card = some & -some if some else choice & -choice
                    else:
                        for some in table.throws:
                            card = choice & some
                            if card:
                                break
                        card &= -card
                else:
                    card = hand
            if card & suit:
                if cancels:
                    gone |= once & card
                    once |= card
                    choice = once & ~gone
                    if choice:
                        best = TOP[choice >> shift] << shift
                        beaten = best + best - 1
                    else:
                        best = beaten = 0
                elif card > beaten:
                    beaten = card + card - 1
                    winner = player
        # The card is played.
        if two_packs:
            player.played = card
            if player.twice & card:
                player.twice ^= card
            else:
                player.hand = hand ^ card
            if live_twice & card:
                live_twice ^= card
            else:
                live ^= card
            pile_twice |= pile & card
        else:
            player.hand = hand ^ card
        pile |= card
        if late and card & breaks:
            late = late_leads = 0
        card = 0
        player = player.left
        if place < last:
            place += 1
            continue
        # The trick is over.
        place = 0
        barred = 0
        calm = last
        if late_leads and pile & breaks:
            late = late_leads = 0
        if two_packs == 0:
            live &= ~pile
        if cancels:
            winner = player
            if best:
                while winner.played != best:
                    winner = winner.left
            elif live:
                continue
        if kitty and (
            table.kitty_to == 0 or live == 0 or (table.kitty_to == 1 and pile & penalties)
        ):
            pile_twice |= world.kitty_twice | pile & kitty
            pile |= kitty
            kitty = 0
        if two_packs:
            winner.taken_twice |= pile_twice | winner.taken & pile
            pile_twice = 0
        winner.taken |= pile
        if winner is not shooter and pile & table.moon:
            shooter = state.nobody
        pile = 0
        player = winner
        if live == 0 or ((live | kitty) & counters == 0 and lasts == 0):
            return


def gains(  # noqa: PLR0913, PLR0917 - one call for thousands of playouts
    state: Playout,
    start: Start,
    worlds: list[World],
    cards: list[i64],
    seat: i64,
    draw: i64,
    bold: i64 = NOBODY,
) -> list[i64]:
    """Return what each of *cards* gains *seat*, world by world, over the other seats.

    A gain is the sum of the others' points less, for each of them, its own. In one world all
    *cards* meet the same chance, which *draw* fixes. The seat *bold* goes for a moon.
    """
    found: list[i64] = []
    for world in worlds:
        draw = draw * LEHMER % LEHMER_PRIME
        for card in cards:
            play_out(state, start, world, card, draw, bold)
            found.append(_gain(state, seat))
    return found


def gains_apart(  # noqa: PLR0913, PLR0917 - the same
    state: Playout,
    starts: list[Start],
    worlds: list[World],
    seat: i64,
    draw: i64,
    bold: i64 = NOBODY,
) -> list[i64]:
    """Return what *seat* gains over the others in each of *worlds*, from a start of its own.

    All meet the same chance, which *draw* fixes. The seat *bold* goes for a moon.
    """
    found: list[i64] = []
    number: i64 = 0
    for world in worlds:
        play_out(state, starts[number], world, 0, draw, bold)
        found.append(_gain(state, seat))
        number += 1  # noqa: SIM113 - compiled, `enumerate` is slower
    return found


def outcomes(  # noqa: PLR0913, PLR0917 - the same
    state: Playout,
    start: Start,
    worlds: list[World],
    cards: list[i64],
    draw: i64,
    bold: i64 = NOBODY,
) -> list[i64]:
    """Return how the deal ends with each of *cards*, world by world, by the chance of `gains`.

    Each end is as `put_end` has it, with two numbers more than there are seats. The seat *bold*
    goes for a moon.
    """
    found: list[i64] = []
    for world in worlds:
        draw = draw * LEHMER % LEHMER_PRIME
        for card in cards:
            play_out(state, start, world, card, draw, bold)
            put_end(state, found)
    return found


def _gain(state: Playout, seat: i64) -> i64:
    """Count the points of a deal that was played out, and return what *seat* gained."""
    score(state)
    total: i64 = 0
    for player in state.players:
        total += player.points
    return total - state.table.seats * state.players[seat].points
