"""Hidden cards laid by chance, step by step, as they were counted: one world after the other.

What is laid where, and in how many ways, is found out once for each view
(`engine.knowledge.sampling`); this is what each further world costs. Compiled together with
the kernel. Cards and states are whole numbers of any size, those of a second pack lie above
the first: so nothing that they are shifted by, added to or multiplied with may be an `i64`.
"""

from bisect import bisect_right
from collections.abc import Callable

from engine.playouts.kernel import LEHMER, LEHMER_PRIME
from engine.playouts.native import i64


class Choice:
    """How many cards a step takes: *least*, and one more for each of *thresholds* reached."""

    def __init__(self, least: i64, thresholds: list[int]) -> None:
        self.least = least
        self.thresholds = thresholds


class Step:
    """Some cards of a *pool*; each of them takes *delta* from the state."""

    def __init__(self, pool: i64, delta: int) -> None:
        self.pool = pool
        self.delta = delta


class Stop:
    """Places that are filled together.

    *rooms* are those of *places* in turn, *room* is all of it. *level* is how many steps came
    before, *joins* are the pools that each pool of the next stop is made of.
    """

    def __init__(self, level: i64, places: list[i64], rooms: list[i64]) -> None:
        self.level = level
        self.places = places
        self.rooms = rooms
        self.room: int = sum(rooms)
        self.steps: list[Step] = []
        self.joins: list[list[i64]] = []


class Layout:
    """What there is to lay: the cards that are *known* to lie at each place, and *pools*.

    A pool's size takes *bits* of a state, a pack *pack* of a card. *choices* are those of each
    level, by state, as far as any was come by.
    """

    def __init__(self, known: list[int], bits: int, pack: int) -> None:
        self.known = known
        self.bits = bits
        self.pack = pack
        self.pools: list[list[int]] = []
        self.stops: list[Stop] = []
        self.choices: list[dict[int, Choice]] = []


def laid(
    layout: Layout, chance: i64, choose: Callable[[int, int], Choice]
) -> tuple[int, list[int], list[int]]:
    """Return the state of chance after a world, and what lies at each place, once and twice.

    *choose* is asked for the choice at a level and state that was not come by before.
    """
    hands = layout.known.copy()
    pools = [pool.copy() for pool in layout.pools]
    for stop in layout.stops:
        drawn, chance = _taken(layout, stop, pools, chance, choose)
        last: i64 = len(stop.places) - 1
        at: i64 = 0
        while at < last:
            some, drawn, chance = parted(drawn, stop.rooms[at], chance)
            hands[stop.places[at]] += _union(some)
            at += 1
        hands[stop.places[last]] += _union(drawn)
        pools = [_joined(pools, joined) for joined in stop.joins]
    first_pack = (1 << layout.pack) - 1
    return (
        chance,
        [hand & first_pack | hand >> layout.pack for hand in hands],
        [hand & hand >> layout.pack for hand in hands],
    )


def entered(left: list[int], room: int, bits: int) -> int:
    """Return the state at the beginning of a stop with *room*, and so many cards *left* in pools.

    From the lowest *bits* on: the room, and the cards of each pool in turn.
    """
    state = 0
    at: i64 = len(left) - 1
    while at >= 0:
        state = state << bits | left[at]
        at -= 1
    return state << bits | room


def parted(cards: list[int], taken: i64, chance: i64) -> tuple[list[int], list[int], i64]:
    """Return so many of *cards* by chance, and the others; *cards* are put in disorder."""
    left: i64 = len(cards) - taken
    stop: i64 = max(left, taken)
    last: i64 = len(cards) - 1
    while last >= stop:
        chance = chance * LEHMER % LEHMER_PRIME
        at: i64 = chance % (last + 1)
        one = cards[at]
        cards[at] = cards[last]
        cards[last] = one
        last -= 1
    if taken <= left:
        return cards[left:], cards[:left], chance
    return cards[:taken], cards[taken:], chance


def number(chance: i64) -> tuple[i64, i64]:
    """Return a number below the square of the prime less one, and chance, two steps later."""
    first: i64 = chance * LEHMER % LEHMER_PRIME
    second: i64 = first * LEHMER % LEHMER_PRIME
    return (first - 1) * (LEHMER_PRIME - 1) + second - 1, second


def _taken(
    layout: Layout,
    stop: Stop,
    pools: list[list[int]],
    chance: i64,
    choose: Callable[[int, int], Choice],
) -> tuple[list[int], i64]:
    """Return the cards that *stop* gets, and take them from *pools*."""
    drawn: list[int] = []
    state = entered([len(pool) for pool in pools], stop.room, layout.bits)
    level: i64 = stop.level
    for step in stop.steps:
        choice = layout.choices[level].get(state)
        if choice is None:
            choice = layout.choices[level][state] = choose(level, state)
        taken: i64 = choice.least
        if choice.thresholds:
            found, chance = number(chance)
            taken += bisect_right(choice.thresholds, found)
        cards: int = taken
        state -= cards * step.delta
        some, pools[step.pool], chance = parted(pools[step.pool], taken, chance)
        drawn.extend(some)
        level += 1
    return drawn, chance


def _joined(pools: list[list[int]], joined: list[i64]) -> list[int]:
    if len(joined) == 1:
        return pools[joined[0]]
    cards: list[int] = []
    for at in joined:
        cards.extend(pools[at])
    return cards


def _union(cards: list[int]) -> int:
    found = 0
    for card in cards:
        found |= card
    return found
