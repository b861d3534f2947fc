import pytest

from engine.bots import DEFAULT_LEVEL, LEVELS, choose, describe, fallback_move
from engine.cards import cards
from engine.commands import ChooseMoon, PassCards, PlayCard
from engine.scoring import MoonChoice
from engine.view import view_for
from tests.engine.bots.bot_games import decisions, short
from tests.table import a_deal, a_last_card, a_new_deal, after, in_order, last_card, rules, trick

SEED = bytes(32)
ALL_PENALTIES = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"


def test_the_levels_come_weakest_first():
    assert list(LEVELS) == ["random", "easy", "medium", "hard", "expert", "master"]
    assert DEFAULT_LEVEL == "medium"


def test_every_level_is_described_as_its_bot_describes_itself():
    told = {about.level: (about.version, about.name, about.summary) for about in describe()}

    assert told == {level: (bot.version, bot.name, bot.summary) for level, bot in LEVELS.items()}
    assert all(about.version >= 1 and about.name for about in describe())
    assert all(about.summary.count(".") == 1 for about in describe())


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_answers_each_turn_with_its_kind_of_move(level):
    passing = next(decisions(short("standard", 4), "random")).state
    playing = a_deal(seat2="2C", leads=2)
    shooting = _shot_by(2)

    moves = [choose(view_for(2, game), level, SEED) for game in (passing, playing, shooting)]

    assert [type(move) for move in moves] == [PassCards, PlayCard, ChooseMoon]
    assert {(move.seat, move.auto) for move in moves} == {(2, None)}


def test_a_level_that_does_not_exist_is_a_key_error():
    with pytest.raises(KeyError):
        choose(view_for(0, a_deal(seat0="2C")), "clairvoyant", SEED)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_that_is_not_to_act_is_not_asked(level):
    with pytest.raises(AssertionError):
        choose(view_for(1, a_deal(seat0="2C", seat1="3C")), level, SEED)


@pytest.mark.parametrize("level", LEVELS)
def test_the_only_card_left_is_played_even_if_it_is_the_queen_of_spades(level):  # fault case 35
    game = a_deal(seat0="QS")

    assert choose(view_for(0, game), level, SEED) == PlayCard(0, cards("QS"))


def test_the_fallback_plays_the_first_legal_card_in_deck_order():
    game = a_deal(seat1="2C KD 9D", trick=trick(0, "7D"))

    assert fallback_move(view_for(1, game)) == PlayCard(1, cards("9D"), "fallback")


def test_the_fallback_passes_the_first_cards_in_deck_order():
    game = a_new_deal(seat1="KH 2S 3C AC 4D")

    assert fallback_move(view_for(1, game)) == PassCards(1, in_order("3C AC 4D"), "fallback")


@pytest.mark.parametrize(
    ("totals", "choice"),
    [
        pytest.param((70, 80, 90, 95), MoonChoice.OTHERS_ADD, id="E5"),
        pytest.param((95, 20, 30, 80), MoonChoice.SELF_SUBTRACT, id="E4"),
    ],
)
def test_the_fallback_settles_a_moon_as_safety_does(totals, choice):
    expected = ChooseMoon(0, choice, "fallback")

    assert fallback_move(view_for(0, _shot_by(0, totals=totals))) == expected


def test_the_fallback_knows_that_the_last_deal_of_a_number_ends_the_game():
    last = rules(ending={"target": None, "deals": 3})
    before, ending = (
        _shot_by(0, rules=last, totals=(95, 20, 30, 80), deal=number) for number in (2, 3)
    )

    assert fallback_move(view_for(0, before)).choice is MoonChoice.OTHERS_ADD
    assert fallback_move(view_for(0, ending)).choice is MoonChoice.SELF_SUBTRACT


def _shot_by(seat, **options):
    taken = ["", "", "", ""]
    taken[seat] = ALL_PENALTIES
    game = a_last_card(*taken, **options)
    return after(game, last_card(game))
