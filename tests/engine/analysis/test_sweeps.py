import pytest

from engine.analysis.sweeps import Sweep
from engine.cards import card
from engine.playouts.starts import world_of
from engine.view import view_for
from tests.table import a_deal, hands, rules, trick

HEARTS_BUT_TWO = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"


def takes_all(game, seat, code):
    sweep = Sweep(view_for(seat, game))
    return bool(sweep.points) and sweep.takes_all(world_of(game.hands), card(code))


def a_lead(mine, *others, **more):
    return a_deal(
        leads=0,
        seat0=mine,
        seat1=others[0],
        seat2=others[1],
        seat3=others[2],
        taken=(more.pop("taken", f"{HEARTS_BUT_TWO} QS"), "", "", ""),
        hearts_broken=True,
        **more,
    )


@pytest.mark.parametrize(
    ("mine", "others", "code", "makes"),
    [
        pytest.param("AH KH", ("2C 3C", "4C 5C", "6C 7C"), "AH", True, id="nobody has hearts"),
        pytest.param("AC TC", ("KC 2C", "4D 5D", "6D AH"), "AC", False, id="the king is kept"),
        pytest.param("AC TC", ("KC 2D", "4D 5D", "6D AH"), "AC", True, id="the king falls"),
        pytest.param("AC TC", ("KC 2D", "4D 5D", "6D 7D"), "TC", False, id="the ten first"),
        pytest.param("AC AD", ("KC 2D", "4D 5D", "6D AH"), "AC", True, id="two aces"),
        pytest.param("AC 3D", ("KC 2D", "4D 5D", "6D AH"), "AC", False, id="a low card"),
        pytest.param("AC 3D", ("KC 2D", "4D 5D", "6D 7D"), "AC", True, id="what may be lost"),
        pytest.param("3C AH 5S", ("2D 6S", "4D 5D", "6D 7S"), "3C", True, id="the heart is safe"),
        pytest.param("3C AH 5S", ("2D 6S", "4D 5D", "6D 7S"), "5S", False, id="the loser first"),
        pytest.param("3C QH 5S", ("2D KH", "4D 5D", "6D 7S"), "3C", False, id="not the heart"),
    ],
)
def test_a_lead_takes_all_if_only_winners_are_left(mine, others, code, makes):
    assert takes_all(a_lead(mine, *others), 0, code) is makes


@pytest.mark.parametrize(
    ("lies", "hand", "code", "makes"),
    [
        pytest.param("KC 2C", "AC KH", "AC", True, id="over it"),
        pytest.param("KC 2C", "QC KH", "QC", False, id="under it"),
        pytest.param("KD 2D", "AC KH", "AC", False, id="not of the suit"),
        pytest.param("TC 2C", "QC KH", "QC", True, id="the last seat has none higher"),
        pytest.param("TC 2C", "JC KH", "JC", False, id="the last seat may be higher"),
    ],
)
def test_a_follow_takes_all_if_nobody_is_higher(lies, hand, code, makes):
    game = a_deal(
        trick=trick(2, lies), seat0=hand, seat1="QC 3S" if code == "JC" else "9C 3S", seat2="4S",
        seat3="5S", taken=(f"{HEARTS_BUT_TWO} QS", "", "", ""), hearts_broken=True,
    )  # fmt: skip

    assert takes_all(game, 0, code) is makes


def test_its_points_are_those_of_the_moon():
    game = a_lead("AH KH", "2C 3C", "4C 5C", "6C 7C")
    subtracts = a_lead(
        "AH KH", "2C 3C", "4C 5C", "6C 7C", rules=rules(scoring={"moon": "self_subtract"})
    )

    assert Sweep(view_for(0, game)).points == (0, 26, 26, 26)
    assert Sweep(view_for(0, subtracts)).points == (-26, 0, 0, 0)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(
            a_deal(
                leads=0, seat0="AH", seat1="2C", seat2="4C", seat3="6C", taken=("QS", "2H", "", "")
            ),
            id="another seat has a heart",
        ),
        pytest.param(
            a_lead("AH", "2C", "4C", "6C", rules=rules(scoring={"moon": "off"})), id="no moons"
        ),
        pytest.param(
            a_lead("AH", "2C", "4C", "6C", rules=rules(scoring={"moon_points": 0})),
            id="for nothing",
        ),
        pytest.param(
            a_deal(
                leads=0,
                seat0="AH",
                seat1="2C",
                seat2="4C",
                seat3="6C",
                seat4="8C",
                rules=rules("cancellation", 5),
            ),
            id="two packs",
        ),
    ],
)
def test_there_is_no_moon_to_be_made(game):
    assert Sweep(view_for(0, game)).points == ()


def test_hands_of_another_world_are_what_counts():
    game = a_lead("AC TC", "KC 2D", "4D 5D", "6D AH")
    other = world_of(hands("AC TC", "2D 4D", "KC QC", "6D AH"))

    assert takes_all(game, 0, "AC")
    assert not Sweep(view_for(0, game)).takes_all(other, card("AC"))
