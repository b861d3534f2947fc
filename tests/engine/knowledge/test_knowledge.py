"""Knowledge is exact: what could be is listed, and nothing else."""

import random

import pytest

from engine.cards import card, code_of, codes_of
from engine.evolve import fold
from engine.knowledge import evidence_of, knowledge_of, possible
from engine.state import Passing, Playing
from engine.view import view_for
from tests.engine.knowledge.deals import LEFT, dealt
from tests.engine.knowledge.enumeration import distributions, unseen_of
from tests.engine.rule_mixes import any_mix
from tests.games import play_commands
from tests.table import after, pass_cards, play


def known_to(seat, game):
    return knowledge_of(view_for(seat, game))


def places(knowledge, code):
    """Return the seats, and True for the kitty, where the card of that *code* may lie."""
    (where,) = [where for one, where in knowledge.can_hold.items() if code_of(one) == code]
    return [*where.seats, *[True] * where.kitty]


def about(knowledge, seat):
    """Return what is certain of *seat*: its void suits, and the cards that it holds."""
    (found,) = [one for one in knowledge.seats if one.seat == seat]
    return "".join(found.void), " ".join(map(code_of, found.holds))


# Against all there could be


def views_of_a_game(seed):
    """Yield what somebody sees after each card of a game by rules of that *seed*."""
    rng = random.Random(seed)
    state, mix = None, any_mix(rng)
    for _, events in play_commands(mix, rng):
        state = fold(state, events)
        if isinstance(state, Playing):
            yield view_for(rng.randrange(mix.seats), state)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_possible_is_what_some_distribution_has(seed):
    looked = 0
    for view in views_of_a_game(seed):
        ways = distributions(view, most=300)
        if ways is None:
            continue
        looked += 1
        placing, hidden = possible(evidence_of(view)), unseen_of(view)
        for one in hidden:
            found = {place for way in ways for place in way if way[place][one]}
            assert placing.may[one] == found, code_of(one)
        for place in ways[0]:
            least = {one: min(way[place][one] for way in ways) for one in hidden}
            assert placing.must[place] == {one: times for one, times in least.items() if times}
    assert looked


@pytest.mark.parametrize("seed", range(12))
def test_the_truth_is_always_possible(seed):
    rng = random.Random(seed)
    state, mix = None, any_mix(rng)
    for _, events in play_commands(mix, rng):
        state = fold(state, events)
        if isinstance(state, Playing | Passing):
            reader = rng.randrange(mix.seats)
            placing = possible(evidence_of(view_for(reader, state)))
            for seat, hand in enumerate(state.hands):
                if seat != reader:
                    assert all(seat in placing.may[one] for one in unseen(hand))
                    certain = [code_of(one) for one in placing.must[seat]]
                    passing = isinstance(state, Passing)
                    assert passing or set(certain) <= set(codes_of(hand))


def unseen(hand):
    return map(card, codes_of(hand))


# One fact at a time


def test_who_does_not_follow_is_void():
    game = after(dealt("5C 9D", "AD KD", "6C 7C", "8C TC"), play(0, "5C"), play(1, "AD"))

    assert about(known_to(2, game), 1) == ("CSH", "")
    assert places(known_to(2, game), "KD") == [0, 1, 3]
    assert places(known_to(2, game), "8C") == [0, 3]
    assert about(known_to(0, game), 1) == ("CSH", "KD")


def test_passed_cards_are_held_until_they_are_played():
    game = dealt("2C 3C 4C", "2D 3D 4D", "2S 3S 4S", "2H 3H 4H", passing=LEFT)

    game = after(game, pass_cards(0, "4C"))
    assert about(known_to(0, game), 1) == ("", "4C")
    assert known_to(0, game).seats[0].hand_size == 3

    game = after(game, pass_cards(1, "4D"), pass_cards(2, "4S"), pass_cards(3, "4H"))
    assert about(known_to(0, game), 1)[1] == "4C"
    assert places(known_to(2, game), "4C") == [0, 1, 3]

    game = after(game, play(0, "2C"))
    assert about(known_to(0, game), 1)[1] == "4C"
    assert about(known_to(0, after(game, play(1, "4C"))), 1)[1] == ""


def test_a_card_on_its_way_is_with_who_gave_it():
    game = dealt("2C 3C 4C", "2D 3D 4D", "2S 3S 4S", "2H 3H 4H", passing=LEFT)

    seen = known_to(0, after(game, pass_cards(1, "2D")))

    assert seen.seats[0].hand_size == 2
    assert places(seen, "2D") == [1, 2, 3]
    assert len(seen.unseen) == 9


def test_the_opener_holds_the_lowest_club_and_nobody_a_lower_one():
    seen = known_to(0, dealt("5C 9D", "4C KD", "6C 7C", kitty="2C 3C"))

    assert about(seen, 1)[1] == "4C"
    assert places(seen, "3C") == [True]
    assert [code_of(one) for one in seen.kitty_holds] == ["2C", "3C"]


def test_where_nobody_opens_with_a_club_all_clubs_are_in_the_kitty():
    seen = known_to(0, dealt("5S 9D", "4S KD", "6S 7S", kitty="2C 3C"))

    assert places(seen, "3C") == [True]
    assert about(seen, 1)[0] == "CH"


def test_of_two_lowest_clubs_the_first_one_opens():
    game = dealt(
        "5D 4C",
        "3C 3D",
        "5D 6C",
        "3C 4C",
        "6C 3D",
        preset="cancellation",
        play={"opening_lead": "lowest_club"},
    )

    assert game.leader == 1
    assert places(known_to(4, game), "3C") == [1, 2, 3]
    assert about(known_to(4, game), 1)[1] == "3C"


def test_a_heart_led_too_early_proves_that_there_was_nothing_else():
    loose = {"opening_lead": "eldest", "first_trick_points": "allowed"}
    game = dealt("5H 9H", "AD 6H", "6C 7C", "8C TC", play=loose)

    seen = known_to(3, after(game, play(0, "5H")))

    assert about(seen, 0)[0] == "CDS"
    assert places(seen, "9H") == [0, 1, 2]
    assert places(seen, "AD") == [1, 2]


def test_points_on_the_first_trick_prove_a_hand_of_points():
    game = dealt("2C 9D", "QS KH", "6C 7C", "8C TC")

    seen = known_to(3, after(game, play(0, "2C"), play(1, "KH")))

    assert about(seen, 1) == ("CDH", "QS")
    assert places(seen, "QS") == [1]
    assert seen.queen.places.seats == (1,)


def test_of_twins_one_may_be_known_and_the_other_anywhere():
    hands = ("QS 2C", "3C 4C", "QS 5C", "2C 3C", "4C 5C")
    game = dealt(*hands, preset="cancellation", passing=LEFT)
    passes = [pass_cards(seat, code) for seat, code in enumerate(["QS", "4C", "5C", "2C", "4C"])]

    game = after(game, *passes)
    mine, other = known_to(0, game), known_to(3, game)

    assert about(mine, 1)[1] == "QS"
    assert places(mine, "QS") == [1, 2, 3, 4]
    assert (mine.queen.in_hand, mine.queen.unseen) == (0, 2)
    assert [code_of(one) for one in mine.unseen].count("QS") == 2
    assert "QS" not in about(other, 1)[1]


def test_who_took_the_kitty_knows_it_and_nobody_else_does():
    game = dealt("5C 9D", "4C KD", "7C 8C", kitty="2D 3D")
    game = after(game, play(1, "4C"), play(2, "7C"), play(0, "5C"))

    mine, other = known_to(2, game), known_to(0, game)

    assert [code_of(one) for one in mine.kitty_holds] == ["2D", "3D"]
    assert not set(mine.kitty_holds) & set(mine.unseen)
    assert places(other, "2D") == [1, 2, True]
    assert other.kitty_holds == ()
    assert (mine.kitty_size, other.kitty_size) == (2, 2)


def test_a_view_of_nobody_knows_nothing():
    with pytest.raises(AssertionError, match="the public"):
        knowledge_of(view_for(None, dealt("5C 9D", "4C KD", "6C 7C", "8C TC")))
