"""Games of bots alone, under every preset and under rules nobody plays."""

import pytest

from engine.bots import fallback_move
from engine.cards import CODES, union
from engine.commands import ChooseMoon, PassCards, PlayCard
from engine.decide import decide
from engine.events import DealScored, GameFinished, MoonChosen
from engine.presets import PRESETS
from tests.engine.bots.bot_games import BY_RULES, SEARCHING, TABLES, decisions, events_of, short
from tests.table import link, rules

SPEED = {"target": None, "deals": 3, "tie": "share"}

ODD_RULES = {
    "a moon in every deal": rules(scoring={"hearts": {}}, ending=SPEED),
    "no card counts": rules(scoring={"hearts": {}, "queen_of_spades": 0}, ending=SPEED),
    "hearts are good": rules(scoring={"hearts": dict.fromkeys("23456789TJQKA", -2)}, ending=SPEED),
    "every suit counts": rules(
        scoring={"extra": {"2C": 1000, "AC": -1000, "KD": 5, "3S": -3}}, ending=SPEED
    ),
    "any club, and a queen that waits": rules(
        "pagat", play={"opening_lead": "any_club", "queen": "no_play_until_broken"}, ending=SPEED
    ),
    "a queen that may not lead": rules(play={"queen": "no_lead_until_broken"}, ending=SPEED),
    "a free choice of hearts and queen": rules(
        play={"hearts_and_queen": "free_choice"}, ending=SPEED
    ),
    "the whole hand is passed": rules(passing={"count": 13}, ending=SPEED),
    "one card is passed": rules(passing={"count": 1}, ending=SPEED),
    "nothing is passed": rules(passing={"count": 0}, ending=SPEED),
    "a card to each, or two seats on": rules(
        seats=5, passing={"cycle": ["scatter", "left2", "right2"]}, ending=SPEED
    ),
    "hands of one card": rules(
        seats=3,
        deck={"remove": [code for code in CODES if code not in {"2C", "QS", "2H"}]},
        passing={"count": 1},
        ending=SPEED,
    ),
    "no clubs": rules(
        seats=3, deck={"remove": [code for code in CODES if code[1] == "C"]}, ending=SPEED
    ),
    "a kitty for the last trick": rules(
        "kitty", 7, deck={"kitty_to": "last_trick"}, scoring={"hearts": {}}, ending=SPEED
    ),
    "all tricks for a moon, and a sun": rules(
        scoring={"moon_needs": "tricks", "sun_points": 60, "no_trick": -5, "moon_points": -7},
        ending=SPEED,
    ),
}


def all_games(level):
    for number, (preset, seats) in enumerate(TABLES):
        yield decisions(short(preset, seats), level, game=number)
    for number, odd in enumerate(ODD_RULES.values()):
        yield decisions(odd, level, game=number)


@pytest.mark.parametrize("level", BY_RULES)
def test_every_move_is_legal_and_every_game_ends(level):  # fault case 36
    for game in all_games(level):
        # A refusal would be raised by the decider.
        *_, last = game

        assert isinstance(last.events[-1], GameFinished)


@pytest.mark.parametrize("preset", PRESETS)
def test_so_it_is_with_levels_that_search(preset):
    seats = PRESETS[preset].seats[-1]
    *_, last = decisions(short(preset, seats, 1), "medium", *SEARCHING, "random", "easy", "medium")

    assert isinstance(last.events[-1], GameFinished)


@pytest.mark.parametrize("name", ODD_RULES)
def test_they_play_by_odd_rules_too(name):
    *_, last = decisions(ODD_RULES[name], "hard", "medium", "random", "easy")

    assert isinstance(last.events[-1], GameFinished)


@pytest.mark.parametrize("level", BY_RULES)
def test_every_pass_has_the_right_number_of_distinct_cards_of_the_hand(level):  # fault case 16
    passes = [
        (decision.view, decision.move.cards)
        for game in all_games(level)
        for decision in game
        if isinstance(decision.move, PassCards)
    ]

    assert len(passes) > 300
    for view, passed in passes:
        assert len(passed) == len(set(passed)) == view.deal.pass_count
        assert not union(passed) & ~view.you.hand


@pytest.mark.parametrize("level", BY_RULES)
def test_where_one_card_is_legal_it_is_played(level):  # fault case 35
    forced = [
        decision
        for game in all_games(level)
        for decision in game
        if isinstance(decision.move, PlayCard) and decision.view.you.legal.bit_count() == 1
    ]

    assert len(forced) > 1_000
    assert all(decision.move.card == decision.view.you.legal for decision in forced)


@pytest.mark.parametrize("level", BY_RULES)
def test_bots_answer_for_their_moons(level):
    game = list(decisions(ODD_RULES["a moon in every deal"], level))

    assert len(events_of(game, MoonChosen)) == len(events_of(game, DealScored)) == 3
    assert sum(isinstance(decision.move, ChooseMoon) for decision in game) == 3


@pytest.mark.whole_game
@pytest.mark.parametrize("preset", PRESETS)
def test_a_table_of_several_levels_plays_to_the_end(preset):
    table = rules(preset)
    (finished,) = events_of(decisions(table, *BY_RULES), GameFinished)

    assert finished.reason.value == "target_reached"
    assert max(finished.totals) >= table.ending.target


def test_the_fallback_is_legal_at_every_decision():
    for game in all_games("random"):
        for decision in game:
            assert decide(decision.state, fallback_move(decision.view), link)
