"""Cancellation Hearts: equal cards cancel each other, and cards ride. docs/rules.md, section 5."""

from dataclasses import replace

import pytest

from engine.cards import NO_CARDS, RANKS, code_of, codes_of, union
from engine.disclosure import public_part
from engine.errors import CorruptLogError
from engine.events import (
    DealScored,
    GameFinished,
    KittyTaken,
    MoonShot,
    TrickCompleted,
)
from engine.evolve import evolve
from engine.playing import Trick, riding, trick_winner
from engine.view import view_for
from tests.games import play_game
from tests.table import (
    a_deal,
    a_last_card,
    accepted,
    after,
    in_order,
    last_card,
    names,
    of_type,
    play,
    rules,
    step,
    to_act,
)

SIX = rules("cancellation", 6)
WITHOUT_A_WIDOW = rules("cancellation", 8)
HEARTS = " ".join(f"{rank}H" for rank in RANKS)


def seated(*rounds):
    """Hands of seats 0 to 5 that have one card of each of *rounds*."""
    columns = zip(*(some.split() for some in rounds), strict=True)
    return {f"seat{seat}": " ".join(column) for seat, column in enumerate(columns)}


def play_all(game, codes):
    """Play *codes* in turn; return the events of the last one, and the state after it."""
    *first, last = codes.split()
    for code in first:
        game = after(game, play(to_act(game), code))
    return step(game, play(to_act(game), last))


PAIRS = "8C 8C AH 3D KS 2D"
RIDES = "5D KD 3D AD 9D AD"
LATER_HEARTS = "4H 5H 7H 8H 9H TH"
LATER = "2S 3S 4S 5S 6S 7S"


# Who takes a trick


@pytest.mark.parametrize(
    ("codes", "winner"),
    [
        pytest.param("KD 4D KD AD AD 9D", 5, id="T3"),
        pytest.param("QS QS 5S 5S AH AH", None, id="T4"),
        pytest.param("8C 8C AH 3D KS 2D", None, id="T5"),
        pytest.param("8C 8C 2C AH KS KS", 2, id="T6"),
        pytest.param("JC TC 9C 8C 4C JC", 1, id="T7"),
        pytest.param("KD AD 2C AD 3C 4C", 0, id="the pair was higher"),
        pytest.param("4D 2S 2S AS AS 3H", 0, id="pairs of other suits"),
    ],
)
def test_the_highest_card_without_a_twin_takes_the_trick(codes, winner):
    assert trick_winner(Trick(0, in_order(codes)), 6, cancel_pairs=True) == winner


def test_without_the_option_the_first_of_a_pair_wins():
    assert trick_winner(Trick(0, in_order("KD 4D KD AD AD 9D")), 6, cancel_pairs=False) == 3


def test_a_trick_that_nobody_won_rides_and_its_leader_leads_again():
    """T4."""
    codes = "QS QS 5S 5S AH AH"
    before = a_deal(rules=SIX, hearts_broken=True, **seated(codes, "2C 3C 4C 5C 6C 7C"))

    events, game = play_all(before, codes)

    over = of_type(TrickCompleted, events)
    assert (over.winner, over.points, over.leader, over.carried) == (None, 0, 0, ())
    assert to_act(game) == 0
    assert SIX.points_in(union(riding(game.tricks))) == 28
    assert (game.taken, game.won) == ((NO_CARDS,) * 6, (0,) * 6)


def test_a_heart_that_is_cancelled_breaks_hearts():
    before = a_deal(rules=SIX, **seated("8C 8C AH 3D KS AH", LATER))

    events, game = play_all(before, "8C 8C AH 3D KS AH")

    assert game.hearts_broken
    assert of_type(TrickCompleted, events).winner is None


def test_who_wins_the_next_trick_takes_what_rides():
    """T5, then the trick after it."""
    before = a_deal(rules=SIX, **seated(PAIRS, RIDES, LATER))
    _, between = play_all(before, PAIRS)

    events, game = play_all(between, RIDES)

    over = of_type(TrickCompleted, events)
    assert (over.winner, over.points, over.leader) == (1, 1, 1)
    assert public_part(over)["carried"] == PAIRS.split()
    assert public_part(over)["cards"] == RIDES.split()
    assert sorted(codes_of(game.taken[1])) == sorted([*PAIRS.split(), *RIDES.split()])
    assert game.won == (0, 1, 0, 0, 0, 0)


def test_cards_ride_on_from_trick_to_trick():
    pairs, again, taken = "8C 8C AH 3D KS 2H", "5S 5S 2D 3H 4H 3H", "9S TS 6H 2H 6D 7D"
    before = a_deal(rules=SIX, hearts_broken=True, **seated(pairs, again, taken, LATER_HEARTS))

    _, game = play_all(before, pairs)
    events, game = play_all(game, again)
    assert of_type(TrickCompleted, events).winner is None
    assert public_part(of_type(TrickCompleted, events))["carried"] == pairs.split()
    events, game = play_all(game, taken)

    over = of_type(TrickCompleted, events)
    assert (over.winner, over.points) == (1, 7)
    assert public_part(over)["carried"] == [*pairs.split(), *again.split()]
    assert riding(game.tricks) == ()


def test_a_last_trick_that_nobody_won_is_its_leader_s_with_all_that_rides():
    first, last = "QS 4S 6S 5D 5D 2S", "3S 5S 7S 9C 9C AH"
    before = a_deal(rules=SIX, leads=3, hearts_broken=True, **seated(first, last))

    events, game = play_all(before, "5D 5D 2S QS 4S 6S")
    assert of_type(TrickCompleted, events).leader == 3
    events, _ = play_all(game, "9C 9C AH 3S 5S 7S")

    over = of_type(TrickCompleted, events)
    assert (over.winner, over.leader, over.points) == (3, None, 14)
    assert of_type(DealScored, events).taken == (0, 0, 0, 14, 0, 0)


# The widow


def test_the_widow_goes_to_the_winner_of_the_first_trick_that_is_won():
    pairs, won = "8C 8C 9D 3D KS 2D", "5D KD 4D AD 9D AD"
    before = a_deal(rules=SIX, kitty="QS 4D", first_trick=True, **seated(pairs, won))
    events, between = play_all(before, pairs)
    assert not of_type(TrickCompleted, events).takes_kitty

    events, _ = play_all(between, won)

    assert of_type(TrickCompleted, events).takes_kitty
    assert of_type(TrickCompleted, events).points == 0
    assert of_type(KittyTaken, events).seat == 1
    assert of_type(DealScored, events).taken == (0, 13, 0, 0, 0, 0)


def test_penalty_cards_that_ride_count_for_the_first_penalty_trick():
    table = rules("cancellation", 6, deck={"kitty_to": "first_penalty_trick"})
    before = a_deal(rules=table, kitty="2S 4D", **seated(PAIRS, "5D KD 4D AD 9D AD", LATER))
    _, between = play_all(before, PAIRS)

    events, _ = play_all(between, "5D KD 4D AD 9D AD")

    assert of_type(KittyTaken, events).seat == 1


def test_a_last_trick_that_nobody_won_takes_the_widow_for_its_leader():
    before = a_deal(rules=SIX, kitty="QS 4D", **seated(PAIRS))

    events, _ = play_all(before, PAIRS)

    assert of_type(KittyTaken, events).seat == 0
    assert of_type(DealScored, events).taken == (14, 0, 0, 0, 0, 0)


# Leading


def test_the_eldest_leads_to_the_first_trick_under_the_usual_limits():
    game = a_deal(rules=SIX, first_trick=True, seat0="3H QS 9C", seat1="2H", seat2="4D")

    assert accepted(game) == {"9C"}


def test_after_a_first_trick_that_nobody_won_points_may_fall():
    pairs = "8C 8C 9D 3D KS 2D"
    before = a_deal(rules=SIX, first_trick=True, **seated(pairs, "5S QD AH 4D 5D 6D", LATER))
    _, game = play_all(before, pairs)

    game = after(game, play(0, "2S"), play(1, "3S"))

    assert accepted(game) == {"4S"}
    assert names(game.hands[2]) == {"AH", "4S"}


# Scoring


def test_two_queens_are_26_points_and_no_moon():
    """S14."""
    game = a_last_card("", "QS QS", HEARTS, HEARTS, rules=WITHOUT_A_WIDOW, rest=4)

    events, _ = step(game, last_card(game))

    scored = of_type(DealScored, events)
    assert scored.points == (0, 26, 13, 13, 0, 0, 0, 0)
    assert scored.moon is None


def test_a_moon_is_all_hearts_and_both_queens():
    """S15."""
    table = rules("cancellation", 6, scoring={"moon": "others_add"})
    game = a_last_card(f"{HEARTS} {HEARTS} QS QS", rules=table, rest=1)

    events, _ = step(game, last_card(game))

    assert (of_type(MoonShot, events).seat, of_type(MoonShot, events).points) == (0, 52)
    assert of_type(DealScored, events).totals == (0, 52, 52, 52, 52, 52)


@pytest.mark.parametrize("missing", ["QS", "2H"])
def test_one_twin_short_is_no_moon(missing):
    whole = f"{HEARTS} {HEARTS} QS QS".split()
    whole.remove(missing)
    game = a_last_card(" ".join(whole), missing, rules=WITHOUT_A_WIDOW, rest=2)

    events, _ = step(game, last_card(game))

    assert of_type(DealScored, events).moon is None


# What is seen


def test_everybody_sees_what_rides():
    _, game = play_all(a_deal(rules=SIX, **seated(PAIRS, LATER)), PAIRS)

    view = view_for(None, game)

    assert [code_of(one) for one in view.deal.carried] == PAIRS.split()
    assert (view.deal.leader, view.deal.tricks[-1][1]) == (0, None)
    assert [seat.tricks_taken for seat in view.seats] == [0] * 6
    assert [seat.deal_points for seat in view.seats] == [0] * 6


def test_nothing_rides_once_it_is_taken():
    codes = "8C 8C 9C 3D KS 2D"

    _, game = play_all(a_deal(rules=SIX, **seated(codes, LATER)), codes)

    assert view_for(None, game).deal.carried == ()
    assert names(game.taken[2]) == {"8C", "9C", "3D", "KS", "2D"}


# Log and fold


def test_a_trick_that_does_not_carry_what_rides_is_corrupt():
    _, between = play_all(a_deal(rules=SIX, **seated(PAIRS, RIDES, LATER)), PAIRS)
    *first, last = RIDES.split()
    full = after(between, *(play(seat, code) for seat, code in enumerate(first)))
    (played, over), _ = step(full, play(5, last))

    lying = evolve(full, played)

    assert evolve(lying, over).won[1] == 1
    with pytest.raises(CorruptLogError):
        evolve(lying, replace(over, carried=()))
    with pytest.raises(CorruptLogError):
        evolve(lying, replace(over, carried=over.carried[1:]))


@pytest.mark.parametrize("seats", range(5, 12))
def test_whole_deals_keep_all_points(rng, seats):
    ending = {"target": None, "deals": 3, "tie": "share"}

    events = play_game(rules("cancellation", seats, ending=ending), rng)

    assert isinstance(events[-1], GameFinished)
    scored = [event for event in events if isinstance(event, DealScored)]
    assert [sum(event.taken) for event in scored] == [52] * 3
