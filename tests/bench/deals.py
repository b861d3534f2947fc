"""`make audit`: whether dealt cards lie as chance would have it.

Two questions, each with the χ² of its answer and how often chance alone gives as much: does
every card come to every place of the deck equally often, and do hands hold as many cards of
a suit as they should.
"""

import math
import random
import sys
from collections import Counter
from itertools import count, islice
from statistics import NormalDist
from typing import NamedTuple

from engine.cards import CLUBS, DIAMONDS, HEARTS, SPADES, union
from engine.presets import preset_rules
from engine.shuffle import NO_SEED, deal_order, game_id_of

DEALS = 100_000
SUITS = {"clubs": CLUBS, "diamonds": DIAMONDS, "spades": SPADES, "hearts": HEARTS}
RULES = preset_rules("standard", 4)
LEAST_EXPECTED = 5
EVERY = 5_000


class Verdict(NamedTuple):
    """A *chi2* with its degrees of freedom; *chance* is how often chance gives as much."""

    question: str
    chi2: float
    freedom: int

    @property
    def chance(self):
        """After Wilson and Hilferty, good to some percent from ten degrees on."""
        spread = 2 / (9 * self.freedom)
        cube = (self.chi2 / self.freedom) ** (1 / 3)
        return 1 - NormalDist(1 - spread, math.sqrt(spread)).cdf(cube)


def orders(rng):
    """Yield the decks of deals without end, each of a game of its own."""
    for _ in count():
        seed = rng.randbytes(32)
        yield deal_order(RULES, seed.hex(), game_id_of(rng.randbytes(32).hex()), 1, (NO_SEED,) * 4)


def verdicts(decks):
    """Return what the *decks*, lists of cards in dealt order, say to both questions."""
    places, holdings = Counter(), Counter()
    for deck in decks:
        places.update(zip(deck, range(len(deck)), strict=True))
        holdings.update(_holdings(deck))
    size = len(RULES.deck_order)
    dealt = places.total() // size
    expected = dealt / size
    misses = sum(
        (places[one, at] - expected) ** 2 for one in RULES.deck_order for at in range(size)
    )
    found = [Verdict("every card in every place", misses / expected, (size - 1) ** 2)]
    return [*found, *(_of_suit(name, holdings, dealt) for name in SUITS)]


def _holdings(deck):
    # The first hand alone: what the others hold depends on it.
    hand = union(deck[: RULES.hand_size])
    return [(name, (hand & suit).bit_count()) for name, suit in SUITS.items()]


def _of_suit(name, holdings, dealt):
    cells, rest_found, rest_expected = [], 0, 0.0
    for held in range(RULES.hand_size + 1):
        found, expected = holdings[name, held], dealt * _likely(held)
        if expected < LEAST_EXPECTED:
            rest_found, rest_expected = rest_found + found, rest_expected + expected
        else:
            cells.append((found, expected))
    cells.append((rest_found, rest_expected))
    chi2 = sum((found - expected) ** 2 / expected for found, expected in cells)
    return Verdict(f"{name} in a hand", chi2, len(cells) - 1)


def _likely(held):
    """Return how likely a hand of 13 of 52 cards holds so many of the 13 of a suit."""
    return math.comb(13, held) * math.comb(39, 13 - held) / math.comb(52, 13)


def _told(decks, wanted):
    for dealt, deck in enumerate(decks, 1):
        if not dealt % EVERY:
            print(f"… {dealt:,} of {wanted:,} deals", file=sys.stderr, flush=True)
        yield deck


def main(wanted=DEALS):
    decks = islice(orders(random.Random()), wanted)
    print(f"{'':28}{'χ²':>9}  freedom  chance of as much or more")
    for one in verdicts(_told(decks, wanted)):
        print(f"{one.question:28}{one.chi2:9.1f}{one.freedom:9}  {one.chance:.3f}")
    print("Below 0.001 twice in a row, something is wrong; once in a thousand, it is chance.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
