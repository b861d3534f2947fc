"""Deals lie as chance would have it, and the statistics of `make audit` would tell if not."""

import random
from itertools import islice

import pytest

from tests.bench.deals import RULES, orders, verdicts

DEALS = 4_000
SUSPICIOUS = 1e-4


@pytest.fixture(scope="module")
def decks():
    return list(islice(orders(random.Random(1)), DEALS))


def test_deals_lie_as_chance_would_have_it(decks):
    assert all(SUSPICIOUS < one.chance < 1 - SUSPICIOUS for one in verdicts(decks))


def test_decks_that_were_cut_and_not_shuffled_are_found():
    rng = random.Random(2)
    decks = []
    for _ in range(DEALS):
        cut = rng.randrange(52)
        decks.append([*RULES.deck_order[cut:], *RULES.deck_order[:cut]])
    places, *suits = verdicts(decks)

    assert places.chance > SUSPICIOUS  # every card does come everywhere
    assert all(one.chance < SUSPICIOUS for one in suits)


def test_a_card_that_stays_where_it_is_now_and_then_is_found(decks):
    first = RULES.deck_order[0]
    lazy = [_with_first(deck, first) if not n % 20 else deck for n, deck in enumerate(decks)]

    assert verdicts(lazy)[0].chance < SUSPICIOUS


def _with_first(deck, one):
    return [one, *(other for other in deck if other != one)]


def test_decks_dealt_too_evenly_are_found():
    order = list(RULES.deck_order)
    turned = [[*order[cut:], *order[:cut]] for cut in range(52)] * 20

    assert verdicts(turned)[0].chance > 1 - SUSPICIOUS
