"""Scoring, moons and the end of a game: S and E of docs/rules.md, section 6."""

import pytest

from engine.cards import cards, union
from engine.commands import ChooseMoon
from engine.decide import decide
from engine.events import DealDealt, DealScored, GameFinished, MoonShot
from engine.scoring import (
    MoonChoice,
    Progress,
    Reason,
    ShotKind,
    deal_points,
    places_of,
    raw_points,
    result_of,
    safe_choice,
    settled_choice,
    shot,
)
from engine.state import Shooting, turn_of
from tests.table import (
    STANDARD,
    a_last_card,
    after,
    hands,
    last_card,
    link,
    of_type,
    play,
    refusal,
    rules,
    step,
)

ALL_HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
SLAM = f"{ALL_HEARTS} QS"
ADDS = MoonChoice.OTHERS_ADD
SUBTRACTS = MoonChoice.SELF_SUBTRACT


def scored(game, choice=None):
    """Play the last card, choose where a moon asks for it; return `DealScored` and the rest."""
    events, after_card = step(game, last_card(game))
    if choice is not None:
        seat = of_type(MoonShot, events).seat
        events += decide(after_card, ChooseMoon(seat, choice), link)
    return of_type(DealScored, events), events


def moon(which, preset="standard", **more):
    return rules(preset, **{**more, "scoring": {"moon": which, **more.get("scoring", {})}})


# S: scoring a deal


def test_hearts_count_one_and_the_queen_thirteen():
    """S1."""
    game = a_last_card("2H 3H 4H 5H", "", "QS 6H 7H", "8H 9H TH JH QH KH AH", rest=1)

    deal, _ = scored(game)

    assert deal.points == deal.taken == deal.totals == (4, 0, 15, 7)
    assert deal.moon is None


MOONS = {
    "S2": (a_last_card("", SLAM, totals=(40, 55, 60, 71)), ADDS, (66, 55, 86, 97)),
    "S3": (a_last_card("", SLAM, totals=(40, 55, 60, 71)), SUBTRACTS, (40, 29, 60, 71)),
    "S5": (a_last_card("", SLAM, totals=(10, 5, 20, 30)), SUBTRACTS, (10, -21, 20, 30)),
    "S6": (
        a_last_card("", "", f"{SLAM} JD", rules=rules("omnibus"), totals=(10, 20, 50, 30)),
        SUBTRACTS,
        (10, 20, 14, 30),
    ),
    "S7": (
        a_last_card("JD", "", SLAM, rules=rules("omnibus"), totals=(10, 20, 50, 30)),
        ADDS,
        (26, 46, 50, 56),
    ),
}


@pytest.mark.parametrize(("game", "choice", "totals"), MOONS.values(), ids=MOONS)
def test_a_moon_goes_the_way_its_shooter_chooses(game, choice, totals):
    deal, _ = scored(game, choice)

    assert deal.totals == totals
    assert (deal.moon.kind, deal.moon.choice) == (ShotKind.MOON, choice)


FIXED = {
    "S2": (
        a_last_card("", SLAM, rules=moon("others_add"), totals=(40, 55, 60, 71)),
        (66, 55, 86, 97),
    ),
    "S3": (
        a_last_card("", SLAM, rules=moon("self_subtract"), totals=(40, 55, 60, 71)),
        (40, 29, 60, 71),
    ),
    "S9": (
        a_last_card("", "", f"{SLAM} TD", rules=rules("omnibus_bicycle"), totals=(10, 20, 50, 30)),
        (10, 20, 24, 30),
    ),
    "S11": (a_last_card(SLAM, rules=rules("new_moon"), totals=(10, 20, 30, 40)), (-42, 20, 30, 40)),
}


@pytest.mark.parametrize(("game", "totals"), FIXED.values(), ids=FIXED)
def test_a_moon_goes_the_way_the_rules_say(game, totals):
    deal, events = scored(game)

    assert deal.totals == totals
    assert not of_type(MoonShot, events).choice_required


NO_MOON = {
    "S4": (a_last_card("", f"{ALL_HEARTS[:-3]} QS", "", "AH"), (0, 25, 0, 1)),
    "S8": (
        a_last_card(
            "TD", "", SLAM, rules=rules("omnibus_bicycle"), totals=(10, 20, 50, 30), rest=2
        ),
        (-10, 0, 26, 0),
    ),
    "S10": (
        a_last_card(
            "2H", "3H 4H 5H 6H 7H 8H 9H TH JH JD", "", "QS QH KH AH", rules=rules("omnibus")
        ),
        (1, -1, 0, 16),
    ),
    "moon off": (a_last_card("", SLAM, rules=moon("off")), (0, 26, 0, 0)),
    "no penalty card in play": (
        a_last_card(
            "",
            SLAM,
            rules=rules(scoring={"hearts": {}, "queen_of_spades": 0, "extra": {"JD": -10}}),
        ),
        (0, -10, 0, 0),
    ),
    "all penalties where every trick is needed": (
        a_last_card("2C", SLAM, rules=rules(scoring={"moon_needs": "tricks"}), rest=1),
        (0, 26, 0, 0),
    ),
    "all penalties and a bonus of another where counters are needed": (
        a_last_card("JD", SLAM, rules=rules("omnibus", scoring={"moon_needs": "counters"}), rest=1),
        (-10, 26, 0, 0),
    ),
}


@pytest.mark.parametrize(("game", "points"), NO_MOON.values(), ids=NO_MOON)
def test_no_moon_is_seen_where_a_needed_card_is_missing(game, points):
    deal, events = scored(game)

    assert deal.points == points
    assert deal.moon is None
    assert not [event for event in events if isinstance(event, MoonShot)]


def test_s8_ends_with_these_totals():
    game, _ = NO_MOON["S8"]

    deal, _ = scored(game)

    assert deal.totals == (0, 20, 76, 30)


def test_spot_hearts_count_their_rank():
    """S12."""
    game = a_last_card("2H AH QS", "3H 4H 5H 6H", rules=rules("spot"), rest=2)

    deal, _ = scored(game)

    assert deal.points[0] == 41
    assert rules("spot").penalty_points == 129


def test_black_maria_counts_king_and_ace_of_spades():
    """S13."""
    game = a_last_card("KS 3H", ALL_HEARTS.replace("3H ", ""), rules=rules("black_maria"), rest=2)

    deal, _ = scored(game)

    assert deal.points[0] == 11
    assert rules("black_maria").penalty_points == 43


# Moon and sun, option by option


def test_every_trick_is_a_moon_where_tricks_are_needed():
    game = a_last_card(SLAM, rules=moon("others_add", scoring={"moon_needs": "tricks"}))

    deal, _ = scored(game)

    assert deal.points == (0, 26, 26, 26)


def test_moon_points_may_be_fixed():
    game = a_last_card(SLAM, rules=moon("others_add", scoring={"moon_points": 40}))

    deal, _ = scored(game)

    assert deal.points == (0, 40, 40, 40)


def test_moon_points_are_else_the_sum_of_what_counts_in_play():
    spot = rules("spot", scoring={"moon": "self_subtract"})

    deal, _ = scored(a_last_card(SLAM, "2C", rules=spot, rest=0))

    assert deal.points == (-129, 0, 0, 0)


def test_a_sun_goes_before_a_moon():
    game = a_last_card(SLAM, rules=moon("others_add", scoring={"sun_points": 52}))

    deal, events = scored(game)

    assert of_type(MoonShot, events).kind is ShotKind.SUN
    assert deal.points == (0, 52, 52, 52)


def test_a_moon_short_of_one_trick_is_no_sun():
    game = a_last_card(SLAM, "2C", rules=moon("others_add", scoring={"sun_points": 52}), rest=0)

    deal, _ = scored(game)

    assert (deal.moon.kind, deal.points) == (ShotKind.MOON, (0, 26, 26, 26))


def test_a_sun_waits_for_a_choice_like_a_moon():
    game = a_last_card(SLAM, rules=rules(scoring={"sun_points": 52}))

    deal, _ = scored(game, SUBTRACTS)

    assert (deal.moon.kind, deal.points) == (ShotKind.SUN, (-52, 0, 0, 0))


def test_a_slam_may_absorb_the_bonus_of_its_shooter():
    absorbing = rules("omnibus", scoring={"moon": "others_add", "moon_absorbs_bonus": True})

    deal, _ = scored(a_last_card(f"{SLAM} JD", rules=absorbing))

    assert deal.points == (0, 26, 26, 26)


def test_a_slam_absorbs_no_bonus_of_others():
    absorbing = rules("omnibus", scoring={"moon": "others_add", "moon_absorbs_bonus": True})

    deal, _ = scored(a_last_card(SLAM, "JD", rules=absorbing))

    assert deal.points == (0, 16, 26, 26)


def test_taking_nothing_counts_in_a_deal_without_a_moon():
    game = a_last_card("2H", SLAM.replace("2H ", ""), rules=rules(scoring={"no_trick": -5}))

    deal, _ = scored(game)

    assert deal.points == (1, 25, -5, -5)
    assert deal.taken == (1, 25, 0, 0)


def test_taking_nothing_counts_in_a_moon_too():
    game = a_last_card(SLAM, "2C", rules=moon("others_add", scoring={"no_trick": -5}), rest=0)

    deal, _ = scored(game)

    assert deal.points == (0, 26, 21, 21)


def test_a_named_card_has_exactly_its_value():
    named = rules(scoring={"extra": {"QS": 5, "AH": 10, "2H": 0}})

    assert named.points_in(cards("QS")) == 5
    assert named.points_in(cards("AH 2H 3H")) == 11


def test_a_rank_that_is_not_named_counts_nothing():
    named = rules(scoring={"hearts": {"A": 4, "K": 3}})

    assert named.points_in(cards(ALL_HEARTS)) == 7


def test_the_points_of_the_last_trick_are_counted():
    """Fault case 31."""
    before = a_last_card("2H", SLAM.replace("2H ", ""), rest=2)

    deal, _ = scored(before)

    assert sum(raw_points(before.taken, STANDARD)) == 26
    assert sum(deal.points) == 26


def test_a_moon_is_told_from_the_cards_and_never_from_their_sum():
    """Fault case 24: 26 points without a moon, and a moon of 16."""
    equal = rules(scoring={"hearts": {"2": 13}, "queen_of_spades": 13, "extra": {"3C": 26}})
    assert shot(hands("3C", "2H QS", "", ""), equal) is None

    omnibus = rules("omnibus")
    assert raw_points(hands(f"{SLAM} JD", "", "", ""), omnibus) == (16, 0, 0, 0)
    assert shot(hands(f"{SLAM} JD", "", "", ""), omnibus).points == 26


# Who chooses


def test_the_game_waits_for_the_choice_of_the_shooter():
    """Fault case 26."""
    events, game = step(a_last_card("", SLAM), last_card(a_last_card("", SLAM)))

    assert of_type(MoonShot, events).choice_required
    assert isinstance(game, Shooting)
    assert turn_of(game).seats == (1,)
    assert {refusal(game, ChooseMoon(seat, ADDS)) for seat in (0, 2, 3)} == {"not_your_turn"}
    assert refusal(game, play(1, "2C")) == "wrong_phase"
    assert refusal(game, ChooseMoon(1, ADDS)) is None


def test_a_choice_is_made_once():
    game = a_last_card("", SLAM)
    over = after(game, last_card(game), ChooseMoon(1, ADDS))

    assert refusal(over, ChooseMoon(1, ADDS)) == "wrong_phase"


SAFETY = moon("safety")


@pytest.mark.parametrize(
    ("totals", "shooter", "choice"),
    [
        pytest.param((95, 20, 30, 80), 0, SUBTRACTS, id="E4"),
        pytest.param((70, 80, 90, 95), 0, ADDS, id="E5"),
        pytest.param((0, 0, 0, 0), 0, ADDS, id="nobody ends the game"),
        pytest.param((27, 80, 0, 90), 0, SUBTRACTS, id="one point too many"),
        pytest.param((26, 80, 0, 90), 0, ADDS, id="a tie goes on"),
    ],
)
def test_safety_adds_unless_that_loses_the_game(totals, shooter, choice):
    taken = [SLAM if seat == shooter else "" for seat in range(4)]
    found = shot(hands(*taken), SAFETY)

    assert safe_choice(found, hands(*taken), totals, Progress(0, 1), SAFETY) is choice
    assert settled_choice(found, hands(*taken), totals, Progress(0, 1), SAFETY) is choice


def test_without_an_order_the_shooter_chooses():
    found = shot(hands(SLAM, "", "", ""), STANDARD)

    assert (
        settled_choice(found, hands(SLAM, "", "", ""), (0, 0, 0, 0), Progress(0, 1), STANDARD)
        is None
    )
    assert sum(deal_points(hands(SLAM, "", "", ""), STANDARD, found, ADDS)) == 78


# E: the end. Any change of totals can be dealt when single hearts count as much as needed.


def worth(*points, **ending):
    """Rules, and taken cards, by which the seats get *points* each in one deal."""
    hearts = dict(zip("2345", points, strict=False))
    some = rules(scoring={"hearts": hearts, "queen_of_spades": 0, "moon": "off"}, ending=ending)
    return some, [f"{rank}H" for rank in hearts]


def a_deal_that_adds(points, totals, deal=1, **ending):
    some, taken = worth(*points, **ending)
    return a_last_card(*taken, rules=some, totals=totals, deal=deal)


def ends(game, choice=None):
    """The `GameFinished` that the last card of *game* brings, or None if a deal follows."""
    _, events = scored(game, choice)
    if isinstance(events[-1], DealDealt):
        return None
    assert isinstance(events[-1], GameFinished)
    return events[-1]


def test_the_lowest_total_wins_when_somebody_reaches_the_target():
    """E1."""
    end = ends(a_deal_that_adds((13, 0, 6, 7), (87, 50, 54, 63)))

    assert end.totals == (100, 50, 60, 70)
    assert end.winners == (1,)
    assert end.places == (4, 1, 2, 3)
    assert end.reason is Reason.TARGET_REACHED


def test_exceed_needs_one_point_more():
    """E1 with `exceed`."""
    assert ends(a_deal_that_adds((13, 0, 6, 7), (87, 50, 54, 63), reach="exceed")) is None
    assert ends(a_deal_that_adds((14, 0, 6, 7), (87, 50, 54, 63), reach="exceed")) is not None


def test_a_tie_for_the_lowest_total_is_played_on():
    """E2, and fault case 28."""
    assert ends(a_deal_that_adds((2, 4, 4, 2), (100, 30, 30, 80))) is None

    end = ends(a_deal_that_adds((10, 5, 8, 3), (102, 34, 34, 82), deal=2))

    assert end.totals == (112, 39, 42, 85)
    assert end.winners == (1,)


def test_a_tie_may_be_shared():
    """E7, and fault case 28."""
    end = ends(a_deal_that_adds((2, 4, 4, 2), (100, 30, 30, 80), tie="share"))

    assert end.totals == (102, 34, 34, 82)
    assert end.winners == (1, 2)
    assert end.places == (4, 1, 1, 3)


def test_after_a_tie_the_end_is_tested_afresh():
    """E3: nobody is at the target any more, so the game goes on as any other."""
    deal, events = scored(a_last_card(SLAM, totals=(103, 40, 40, 75), deal=2), SUBTRACTS)

    assert deal.totals == (77, 40, 40, 75)
    assert isinstance(events[-1], DealDealt)


def test_a_choice_may_end_the_game_or_let_it_go_on():
    """E4."""
    game = a_last_card(SLAM, totals=(95, 20, 30, 80))

    added = ends(game, ADDS)
    subtracted, _ = scored(game, SUBTRACTS)

    assert (added.totals, added.winners) == ((95, 46, 56, 106), (1,))
    assert subtracted.totals == (69, 20, 30, 80)
    assert ends(game, SUBTRACTS) is None


def test_safety_subtracts_where_adding_loses():
    """E4 with `safety`."""
    deal, events = scored(a_last_card(SLAM, rules=SAFETY, totals=(95, 20, 30, 80)))

    assert deal.totals == (69, 20, 30, 80)
    assert deal.moon.choice is SUBTRACTS
    assert isinstance(events[-1], DealDealt)


def test_safety_adds_where_adding_wins():
    """E5."""
    end = ends(a_last_card(SLAM, rules=SAFETY, totals=(70, 80, 90, 95)))

    assert end.totals == (70, 106, 116, 121)
    assert end.winners == (0,)


def test_safety_counts_the_deal_that_is_being_scored():
    last_deal = moon("safety", ending={"target": None, "deals": 3})

    deal, events = scored(a_last_card(SLAM, rules=last_deal, totals=(50, 0, 5, 5), deal=3))

    assert deal.moon.choice is SUBTRACTS
    assert of_type(GameFinished, events).totals == (24, 0, 5, 5)


def test_four_equal_totals_are_played_on():
    """E6."""
    assert ends(a_deal_that_adds((7, 7, 6, 6), (93, 93, 94, 94))) is None


def test_the_end_test_waits_for_the_choice():
    game = a_last_card(SLAM, totals=(95, 20, 30, 80))

    _, shooting = step(game, last_card(game))

    assert shooting.played.table.totals == (95, 20, 30, 80)
    assert turn_of(shooting).seats == (0,)


def test_totals_may_fall_below_zero_and_count_as_they_are():
    """Fault case 33."""
    omnibus = rules("omnibus", ending={"target": 30})
    game = a_last_card(
        "JD", SLAM.replace("2H ", ""), "2H", rules=omnibus, totals=(-21, 5, 20, -25), rest=0
    )

    end = ends(game)

    assert end.totals == (-31, 30, 21, -25)
    assert end.winners == (0,)
    assert end.places == (1, 4, 3, 2)


@pytest.mark.parametrize("target", [13, 26])
@pytest.mark.parametrize("reach", ["at_least", "exceed"])
@pytest.mark.parametrize("short", [-1, 0, 1])
def test_the_game_ends_if_and_only_if_a_total_meets_the_comparison(target, reach, short):
    """Fault case 27."""
    totals = (target + short, 0, 1, 2)
    ending = rules(ending={"target": target, "reach": reach})

    result = result_of(totals, Progress(1, 1), ending)

    met = short > 0 or (short == 0 and reach == "at_least")
    assert (result is not None) == met


def test_a_number_of_deals_ends_the_game():
    fixed = {"target": None, "deals": 3}

    assert ends(a_deal_that_adds((1, 2, 3, 4), (0, 0, 0, 0), deal=2, **fixed)) is None
    end = ends(a_deal_that_adds((1, 2, 3, 4), (0, 0, 0, 0), deal=3, **fixed))

    assert end.reason is Reason.DEALS_PLAYED
    assert end.winners == (0,)


def test_a_tie_after_the_last_deal_is_played_on():
    tied = a_deal_that_adds((2, 2, 3, 4), (0, 0, 0, 0), deal=3, target=None, deals=3)
    broken = a_deal_that_adds((2, 1, 3, 4), (0, 0, 0, 0), deal=4, target=None, deals=3)

    assert ends(tied) is None
    assert ends(broken).winners == (1,)


def test_the_target_is_the_reason_where_both_ends_are_met():
    end = ends(a_deal_that_adds((1, 2, 3, 4), (0, 0, 0, 96), deal=3, deals=3))

    assert end.reason is Reason.TARGET_REACHED


def test_a_game_ends_with_its_last_link_and_shares_ties():
    rules_without_end = rules(ending={"target": 100_000})

    assert result_of((5, 5, 6, 7), Progress(255, 255), rules_without_end) is None
    result = result_of((5, 5, 6, 7), Progress(256, 256), rules_without_end)
    assert (result.reason, result.winners) == (Reason.TOO_LONG, (0, 1))


def test_a_deal_with_the_last_link_may_end_the_game_as_any_other():
    result = result_of((5, 6, 7, 100), Progress(256, 256), STANDARD)

    assert (result.reason, result.winners) == (Reason.TARGET_REACHED, (0,))


@pytest.mark.parametrize(
    ("totals", "places"),
    [
        ((4, 3, 2, 1), (4, 3, 2, 1)),
        ((1, 1, 2, 2), (1, 1, 3, 3)),
        ((0, -5, 0, 0), (2, 1, 2, 2)),
    ],
)
def test_equal_totals_share_a_place(totals, places):
    assert places_of(totals) == places


def test_every_card_in_play_is_taken_once_in_these_deals():
    for game, *_ in [*MOONS.values(), *FIXED.values(), *NO_MOON.values()]:
        on_table = union(game.trick) | union(game.hands)
        assert union(game.taken) | on_table == game.table.rules.cards
