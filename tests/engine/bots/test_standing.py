from dataclasses import replace

import pytest

from engine.bots import choose
from engine.bots.standing import Standing, by_place, by_points, may_end
from engine.cards import codes_of
from engine.view import view_for
from tests.engine.bots.bot_games import SEARCHING, TABLES, short
from tests.table import a_deal, a_new_deal, rules, trick

SEED = bytes(range(32))
HANDS = {"seat0": "2C", "seat1": "3C", "seat2": "4C", "seat3": "5C"}


def at(*totals, seat=0, **options):
    """Return what the seat to lead sees before a deal with *totals*."""
    return view_for(seat, a_deal(totals=totals, leads=seat, **HANDS, **options))


def worth(points, *totals, seat=0, **options):
    return Standing(at(*totals, seat=seat, **options)).worth(points)


@pytest.mark.parametrize(
    ("totals", "ending", "near"),
    [
        ((73, 10, 20, 30), {}, False),
        ((74, 10, 20, 30), {}, True),
        ((10, 20, 30, 24), {"target": 50}, True),
        ((10, 20, 30, 23), {"target": 60}, False),
        ((0, 0, 0, 0), {"target": None, "deals": 2}, False),
        ((0, 0, 0, 0), {"target": None, "deals": 1}, True),
        ((120, 120, 130, 140), {}, True),
    ],
)
def test_places_count_once_the_deal_may_end_the_game(totals, ending, near):
    view = at(*totals, rules=rules(ending=ending))

    assert may_end(view) == near
    assert (by_place(view) != by_points(view)) == near


def test_a_moon_that_is_worth_more_brings_the_end_nearer():
    dear = rules(scoring={"moon_points": 60})

    assert may_end(at(40, 0, 0, 0, rules=dear))
    assert not may_end(at(39, 0, 0, 0, rules=dear))


def test_a_win_is_worth_more_than_a_shared_one_and_that_more_than_none():
    shared = rules(ending={"tie": "share"})
    won, tied, lost = (
        worth((own, 7, 12 - own, 7), 60, 60, 90, 99, rules=shared) for own in (6, 7, 8)
    )

    # By points alone each step is worth 4.
    assert won - tied > 100
    assert tied - lost > 100


def test_a_tie_that_is_played_on_is_worth_what_it_promises():
    played_on, lost = (worth((own, 7, 12, 7), 60, 60, 90, 99) for own in (7, 8))

    assert played_on - lost > 100


def test_it_matters_who_takes_the_points():
    leader, trailing = (worth(points, 70, 65, 80, 99) for points in ((0, 13, 0, 1), (0, 0, 13, 1)))

    assert leader - trailing > 300


def test_where_the_places_are_settled_points_still_count():
    few, many = (worth((points, 0, 0, 13 - points), 99, 0, 20, 30) for points in (3, 4))

    assert 0 < few - many < 50


def test_equal_seats_expect_the_same_and_a_lower_total_more():
    each = [worth((2, 2, 2, 2), 80, 80, 70, 90, seat=seat) for seat in range(4)]

    assert each[0] == each[1]
    assert each[2] > each[1] > each[3]


def test_a_lead_is_worth_more_the_nearer_the_end():
    by_target = [
        worth((0,) * 4, 60, 70, 80, highest, rules=rules(ending={"target": 106}))
        for highest in (81, 105)
    ]
    by_deals = [
        worth((0,) * 4, 0, 10, 20, 30, rules=rules(ending={"target": 40, "deals": deals}))
        for deals in (3, 2)
    ]

    assert by_target[0] < by_target[1]
    assert by_deals[0] < by_deals[1]


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_the_worth_of_places_is_the_same_to_all_seats_together(preset, seats):
    """What one seat is likelier to win another one is less likely to."""
    state = a_new_deal(rules=short(preset, seats, 3), totals=range(10, 10 + seats))
    standings = [Standing(view_for(seat, state)) for seat in range(seats)]
    ends = [[1, *[0] * (seats - 1)], [*[0] * (seats - 1), 20], list(range(seats))]
    sums = [sum(one.worth(points) for one in standings) for points in ends]

    assert sums == pytest.approx([sums[0]] * 3)
    assert all(one.point() >= 1 for one in standings)


@pytest.mark.parametrize("moon", ["safety", "shooter_choice", "others_add"])
def test_a_moon_that_would_end_the_game_for_another_is_subtracted_where_that_may_be(moon):
    view = at(95, 60, 70, 80, rules=rules(scoring={"moon": moon}))
    standing, points = Standing(view), (0, 26, 26, 26)
    game_is_over = standing.worth(points)

    assert (standing.worth(points, 0, 26) > game_is_over) == (moon != "others_add")


def test_a_moon_that_wins_is_added():
    standing = Standing(at(70, 80, 90, 95))

    assert standing.worth((0, 26, 26, 26), 0, 26) == standing.worth((0, 26, 26, 26))


# All fell in suit but the two of hearts, which seat 0 threw on the second trick in clubs.
FALLEN = (
    "2C 7C 8C 9C",
    "TC JC QC 2H",
    *("3D 4D 5D 6D", "7D 8D 9D TD", "JD QD KD AD"),
    *("2S 3S 4S 5S", "6S 7S 8S 9S", "TS JS KS AS"),
    *("3H 4H 5H 6H", "7H 8H 9H TH", "JH QH KH AH"),
)


def the_queen(*totals):
    """Return by level what is thrown on seat 1 from `QS 2D`, void in clubs.

    The queen is the last penalty. Any other seat may take the last trick: three clubs are
    out, one with each, and the seat that holds the king takes her then.
    """
    last = a_deal(
        seat0="QS 2D",
        seat1="3C",
        seat2="4C",
        seat3="KC",
        trick=trick(1, "AC 5C 6C"),
        taken=["", " ".join(FALLEN[:2]), " ".join(FALLEN[8:]), " ".join(FALLEN[2:8])],
        totals=totals,
        hearts_broken=True,
    )
    fallen = tuple((trick(1, codes), 1) for codes in FALLEN)
    view = view_for(0, replace(last, tricks=fallen, number=len(fallen) + 1))
    return {level: codes_of(choose(view, level, SEED).card)[0] for level in SEARCHING}


def test_the_queen_goes_to_whoever_leads_in_the_game():
    """By points it is the same who takes her; seat 1 either leads, or has lost already."""
    leads, trails = the_queen(70, 60, 85, 99), the_queen(70, 90, 95, 60)

    assert leads == {"hard": "2D", "expert": "QS", "master": "QS"}
    assert trails == {"hard": "2D", "expert": "2D", "master": "2D"}
