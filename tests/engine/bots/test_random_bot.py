from engine.bots.random_bot import RandomBot
from engine.cards import each
from engine.scoring import MoonChoice
from engine.view import view_for
from tests.table import a_deal, a_new_deal, names, trick

SEEDS = [number.to_bytes(32, "big") for number in range(200)]


def test_it_plays_every_legal_card_and_no_other():
    game = a_deal(seat1="9D KD 2C 4H", trick=trick(0, "7D"))
    view = view_for(1, game)

    played = {RandomBot().choose_play(view, seed) for seed in SEEDS}

    assert names(sum(played)) == {"9D", "KD"}


def test_it_passes_every_card_sooner_or_later():
    game = a_new_deal(seat0="2C 9D QS KH AH")
    view = view_for(0, game)

    passed = {one for seed in SEEDS for one in RandomBot().choose_pass(view, seed)}

    assert passed == set(each(view.you.hand))


def test_it_makes_either_choice_after_a_moon():
    view = view_for(0, a_deal(seat0="2C"))

    assert {RandomBot().choose_moon(view, seed) for seed in SEEDS} == set(MoonChoice)
