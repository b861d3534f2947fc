"""Dealing: from a deal's link and the seeds of the seats to hands, and laying deals open."""

from dataclasses import replace

from engine.commands import StartGame, UpdateSeat
from engine.dealing import given_deal, next_deal, opened_deal, unopened_deals
from engine.decide import decide
from engine.events import DealDealt
from engine.shuffle import deal_hands
from tests.games import play_game
from tests.table import (
    COMMITMENT,
    LINKS,
    STANDARD,
    a_deal,
    a_last_card,
    a_lobby,
    after,
    last_card,
    link,
    of_type,
    play,
    rules,
)

SLAM = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"
FULL = a_lobby("Ana", "Bea", "bot", "bot")


def a_table_with(deals, **options):
    return a_deal(rules=rules(**options), seat0="2C 3D", deal=deals).table


def test_a_deal_is_dealt_with_its_link():
    dealt = next_deal(a_table_with(1), link)

    assert (dealt.deal, dealt.dealer, dealt.direction, dealt.pass_count) == (2, 0, "right", 3)
    assert (dealt.leader, dealt.opening_card) == (None, None)
    assert dealt.hands == deal_hands(STANDARD, LINKS[2], COMMITMENT[:32], 2, ["-"] * 4)


def test_hands_that_are_given_are_dealt_as_they_are():
    table = a_table_with(1)
    dealt = next_deal(table, link)
    turned = (*dealt.hands[1:], dealt.hands[0])

    assert given_deal(table, 2, dealt.hands) == dealt
    assert given_deal(table, 2, turned) == replace(dealt, hands=turned)


def test_where_nobody_passes_the_leader_is_known_at_once():
    dealt = next_deal(a_table_with(1, passing={"cycle": ["hold"]}), link)

    assert (dealt.direction, dealt.pass_count) == ("hold", 0)
    assert dealt.hands[dealt.leader] & dealt.opening_card


def test_seeds_change_the_deal():
    seeded = after(FULL, UpdateSeat(0, client_seed="ab" * 32))

    plain, mixed = (of_type(DealDealt, decide(g, StartGame(), link)) for g in (FULL, seeded))

    assert plain.hands != mixed.hands


def test_games_and_deals_differ(rng):
    """Fault case 22."""
    events = [play_game(rules(ending={"target": None, "deals": 2}), rng) for _ in range(20)]

    hands = [event.hands for game in events for event in game if isinstance(event, DealDealt)]
    assert len(set(hands)) == len(hands) >= 40


def test_a_link_is_asked_for_only_when_its_deal_is_dealt_or_opened():
    asked = []

    def watched(deal):
        asked.append(deal)
        return link(deal)

    game = a_last_card("2H", SLAM.replace("2H ", ""))
    decide(game, last_card(game), watched)
    decide(a_deal(seat0="2C 3D"), play(0, "2C"), watched)

    assert asked == [1, 2]


def test_the_last_deal_is_opened_where_each_is():
    table = a_table_with(3)

    opened = opened_deal(table, link)

    assert (opened.deal, opened.seed, opened.hands) == (3, LINKS[3], table.dealt[2])
    assert opened_deal(a_table_with(3, reveal="game_end"), link) is None


def test_what_is_left_to_open_is_what_no_event_has_opened():
    each, late = a_table_with(3), a_table_with(3, reveal="game_end")

    assert [(deal.deal, deal.seed) for deal in unopened_deals(each, link)] == [(3, LINKS[3])]
    assert [deal.deal for deal in unopened_deals(late, link)] == [1, 2, 3]
    assert unopened_deals(FULL.table, link) == ()
