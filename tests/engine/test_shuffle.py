"""hearts-shuffle-1 against its published vectors: docs/fairness.md."""

import ast
import hashlib
import inspect
import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine import shuffle
from engine.cards import code_of, codes_of, union
from engine.dealing import next_deal
from engine.presets import PRESETS, preset_rules
from engine.rules import MOST_DEALS
from engine.shuffle import (
    NO_SEED,
    SCHEME,
    chain,
    deal_hands,
    deal_order,
    draw,
    game_id_of,
    is_link,
)
from tests.table import a_deal, rules

VECTORS = json.loads(Path(__file__).with_name("shuffle_vectors.json").read_text("ascii"))
TIP = bytes(range(32))  # of the chain that all vectors come from


def parts_of(vector):
    proof = vector["proof"]
    named = [proof[name] for name in ("seed", "game_id", "deal", "client_seeds")]
    # Dealing needs no more of the rules than the deck and the number of seats.
    whole = set(rules(deck={"remove": "none"}).deck_order)
    missing = [code_of(one) for one in whole if code_of(one) not in proof["deck"].split()]
    deck = {"remove": missing, "leftover": "kitty"}
    return rules(seats=proof["players"], deck=deck), *named


def codes(order):
    return " ".join(code_of(one) for one in order)


@pytest.fixture(params=VECTORS, ids=[vector["name"] for vector in VECTORS])
def vector(request):
    return request.param


def test_the_vectors_come_from_one_chain(vector):
    proof = vector["proof"]
    links = chain(TIP)

    assert proof["scheme"] == SCHEME
    assert links[0].hex() == vector["commitment"]
    assert links[proof["deal"]].hex() == proof["seed"]


def test_the_id_is_the_first_half_of_the_commitment(vector):
    assert game_id_of(vector["commitment"]) == vector["proof"]["game_id"]


def test_a_link_hashes_to_the_commitment(vector):
    proof = vector["proof"]
    link, deal = proof["seed"], proof["deal"]

    assert is_link(link, deal, vector["commitment"])
    assert not is_link(link, deal - 1, vector["commitment"])
    assert not is_link(link, deal + 1, vector["commitment"])
    assert not is_link(link[:-1] + ("0" if link[-1] != "0" else "1"), deal, vector["commitment"])


def test_the_deck_is_in_order(vector):
    table, *_ = parts_of(vector)

    assert codes(table.deck_order) == vector["proof"]["deck"]


def test_the_order_after_the_shuffle(vector):
    """A kitty is what lies behind the last hand."""
    proof = vector["proof"]

    order = codes(deal_order(*parts_of(vector)))

    assert order == " ".join([*proof["hands"], proof["kitty"]]).strip()


def test_the_hands(vector):
    dealt = deal_hands(*parts_of(vector))

    assert [set(codes_of(hand)) for hand in dealt] == [
        set(hand.split()) for hand in vector["proof"]["hands"]
    ]


def test_the_kitty(vector):
    table, seed, game_id, _, seeds = parts_of(vector)
    number, kitty = vector["proof"]["deal"], vector["proof"]["kitty"].split()
    before = replace(
        a_deal(rules=table, deal=number).table,
        commitment=game_id,
        client_seeds=tuple(seeds),
    )
    before = replace(before, dealt=before.dealt[1:], numbers=before.numbers[:-1])

    dealt = next_deal(before, lambda _: seed)

    assert dealt.deal == number
    assert set(codes_of(dealt.kitty)) == set(kitty)
    assert table.kitty_size == len(kitty)


def test_a_standard_deck_is_the_deck_of_its_vector():
    (vector,) = [one for one in VECTORS if one["name"] == "3p without 2D"]

    assert codes(preset_rules("standard", 3).deck_order) == vector["proof"]["deck"]


def test_a_chain_has_a_link_for_every_deal_before_its_commitment():
    links = chain(TIP)

    assert len(links) == MOST_DEALS + 1
    assert links[-1] == TIP
    assert all(
        hashlib.sha256(later).digest() == earlier for earlier, later in itertools.pairwise(links)
    )


def test_everything_in_the_message_changes_the_deal(vector):
    table, seed, game_id, deal, seeds = parts_of(vector)
    dealt = deal_order(table, seed, game_id, deal, seeds)
    others = [
        (table, "00" * 32, game_id, deal, seeds),
        (table, seed, "0" * 32, deal, seeds),
        (table, seed, game_id, deal + 1, seeds),
        (table, seed, game_id, deal, ["cd" * 32, *seeds[1:]]),
        (table, seed, game_id, deal, [*seeds[1:], "ef" * 32]),
    ]

    assert all(deal_order(*other) != dealt for other in others)


@pytest.mark.parametrize("below", [2, 3, 7, 39, 51, 52, 128, 200, 256])
def test_a_draw_is_even_over_all_bytes(below):
    usable = 256 - 256 % below
    stream = iter(range(256))

    drawn = [draw(stream, below) for _ in range(usable)]

    assert {drawn.count(value) for value in range(below)} == {usable // below}


def test_a_draw_throws_the_last_bytes_away():
    assert draw(iter([255, 208, 207]), 52) == 207 % 52
    assert draw(iter([255, 254, 253]), 3) == 254 % 3


@pytest.mark.parametrize(
    ("name", "seats"), [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]
)
def test_every_card_of_every_preset_is_dealt_once(name, seats):
    """Fault cases 20 and 23."""
    table = preset_rules(name, seats)

    hands = deal_hands(table, "11" * 32, "0" * 32, 1, [NO_SEED] * seats)

    assert {hand.bit_count() for hand in hands} == {table.hand_size}
    assert sum(hand.bit_count() for hand in hands) + table.kitty_size == len(table.deck_order)
    assert union(hands).bit_count() == table.hand_size * seats
    assert not union(hands) & ~table.cards


def test_the_shuffle_uses_no_randomness_of_the_language():
    tree = ast.parse(inspect.getsource(shuffle))

    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None), *(alias.name for alias in node.names)]
    }

    assert not imported & {"random", "secrets", "uuid", "numpy", "numpy.random"}
