import random
from dataclasses import replace

import pytest

from engine import reasons
from engine.analysis import Estimate
from engine.analysis.decisions import Decision, PlayedDeal, played_deals
from engine.analysis.review import EFFORTS, DealReview, judge, seat_reviews
from engine.bots import choose
from engine.cards import CODES, card, cards, codes_of
from engine.commands import ChooseMoon, PassCards, PlayCard
from engine.scoring import MoonChoice
from engine.state import TurnType, turn_of
from engine.view import view_for
from tests.engine.analysis.hurrying import hurry
from tests.engine.analysis.positions import ALL_PENALTIES
from tests.engine.analysis.test_judged import an_analysis
from tests.engine.analysis.test_mistakes import a_verdict
from tests.engine.recordings import read, recorded_games
from tests.games import play_commands, play_game
from tests.table import (
    STANDARD,
    a_deal,
    a_last_card,
    a_new_deal,
    after,
    in_order,
    last_card,
    rules,
    trick,
)

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}


def a_decision(game, move, phase=TurnType.PLAY):
    decision = Decision(30, 2, phase, game, move)
    deal = PlayedDeal(1, "5e" * 32, game, (), (0, 0, 0, 0), (decision,))
    return deal, decision


def late(lies="", **seats):
    """Return the middle of a deal with a deck of no other cards than *lies* and *seats* have."""
    held = {code for hand in (lies, *seats.values()) for code in hand.split()}
    deck = {"remove": [code for code in CODES if code not in held]}
    plain = {"play": {"opening_lead": "eldest"}, "passing": {"cycle": ["hold"]}}
    chosen = rules(deck=deck, scoring={"moon": "off"}, **plain)
    return a_deal(rules=chosen, trick=trick(0, lies) if lies else None, **seats)


def throwing_the_queen():
    """Return a deal in which seat 3 may be rid of the queen before spades are led."""
    hands = {"seat0": "5S 6S", "seat1": "7S 8C", "seat2": "9S TC", "seat3": "QS 2H 3H"}
    return late("AD 2D 3D", **hands)


def test_a_move_costs_what_the_best_one_is_better_by():
    verdict = judge(*a_decision(throwing_the_queen(), PlayCard(3, card("2H"))), "hard")

    assert verdict.best == verdict.open_best == ("QS",)
    assert verdict.loss > 5
    assert verdict.is_mistake
    assert verdict.is_dear
    assert verdict.points > verdict.best_points


def test_the_best_move_costs_nothing():
    verdict = judge(*a_decision(throwing_the_queen(), PlayCard(3, card("QS"))), "hard")

    assert (verdict.move, verdict.best) == (("QS",), ("QS",))
    assert (verdict.loss, verdict.error, verdict.why) == (0, 0, None)
    assert not verdict.is_mistake


def test_a_mistake_says_why_the_best_move_is_better():
    verdict = judge(*a_decision(throwing_the_queen(), PlayCard(3, card("2H"))), "hard")

    assert verdict.why.reason == reasons.DEAREST_CARD
    assert verdict.why.best == 100 > verdict.why.other


def test_to_pass_for_a_moon_that_playouts_promise_is_no_mistake():
    # `expert` passes so, and by playouts it gains; it is not as much more as bots ask of a moon.
    hand = "5C 3D 4D 5D 6D TD AD 9S TS 2H 8H QH AH"
    rest = codes_of(STANDARD.cards & ~cards(hand))
    others = {f"seat{seat}": " ".join(rest[seat - 1 :: 3]) for seat in (1, 2, 3)}
    losers = PassCards(0, in_order("4D 9S 2H"))
    game = a_new_deal(seat0=hand, **others)

    verdict = judge(*a_decision(game, losers, TurnType.PASS), "hard")

    assert not verdict.is_mistake
    assert verdict.why is None


TWO, KING, QUEEN = (PlayCard(3, card(code)) for code in ("2H", "3H", "QS"))


def looked_at(*moves, gains, in_full, points):
    """Return what a look at *moves* finds, by both readings."""
    found = an_analysis(*moves, gains=gains, in_full=in_full)
    readings = [
        replace(one, judged=tuple(map(with_points, one.judged, some)))
        for one, some in zip(found.readings, points, strict=True)
    ]
    return replace(found, readings=tuple(readings))


def with_points(one, points):
    return replace(one, points=Estimate(points, 0.0))


def judged_by(monkeypatch, first, second, openly):
    """Return the verdict on the two of hearts by these looks, and the moves of the second one."""
    compared = []
    monkeypatch.setattr("engine.analysis.review.analyse", lambda *_: first)
    monkeypatch.setattr("engine.analysis.review.analyse_openly", lambda *_: openly)
    monkeypatch.setattr(
        "engine.analysis.review.compare", lambda _, moves, *__: compared.append(moves) or second
    )
    return judge(*a_decision(throwing_the_queen(), TWO), "hard"), compared


def test_a_move_is_judged_against_its_rival_in_the_reading_that_compares_them(monkeypatch):
    # The queen comes first, but not where moons count in full, as the two goes for one.
    points = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    first = looked_at(
        *(QUEEN, KING, TWO), gains=((40, 40), (30, 30), (0, 0)),
        in_full=((40, 40), (52, 52), (48, 48)), points=points,
    )  # fmt: skip
    second = looked_at(
        KING, TWO, gains=((30, 30), (0, 0)), in_full=((52, 52), (44, 44)), points=((2, 3), (5, 6))
    )
    verdict, compared = judged_by(monkeypatch, first, second, first)

    assert compared == [[KING, TWO]]
    assert (verdict.best, verdict.best_points, verdict.points) == (("3H",), 5, 6)
    assert (verdict.loss, verdict.error) == (2.0, 0.0)
    assert (verdict.open_best, verdict.open_loss) == (("3H",), 1.0)
    assert verdict.why.reason == reasons.FEWER_POINTS


def test_what_is_not_clearly_worse_is_looked_at_once(monkeypatch):
    first = looked_at(
        *(QUEEN, TWO), gains=((40, 40), (0, 0)), in_full=((40, 40), (60, 60)),
        points=((1, 2), (3, 4)),
    )  # fmt: skip
    verdict, compared = judged_by(monkeypatch, first, None, first)

    assert compared == []
    assert (verdict.best, verdict.loss, verdict.error, verdict.why) == (("2H",), 0.0, 0.0, None)
    assert (verdict.open_best, verdict.open_loss) == (("2H",), 0.0)


def test_of_a_moons_choices_that_cost_the_same_the_better_place_is_the_best():
    game = a_last_card(ALL_PENALTIES, totals=(95, 20, 30, 80))
    game = after(game, last_card(game))
    choice = ChooseMoon(0, MoonChoice.OTHERS_ADD)
    verdict = judge(*a_decision(game, choice, TurnType.MOON), "hard")

    assert (verdict.best, verdict.loss) == (("self_subtract",), 0.0)


def by_levels(state, rng):
    seat = turn_of(state).seats[0]
    return choose(view_for(seat, state), ("easy", "medium")[seat in {1, 2}], rng.randbytes(32))


@pytest.mark.parametrize(
    ("game", "trick", "seat", "reason"),
    [(26, 8, 3, reasons.OWN_MOON), (3, 9, 2, reasons.OTHER_MOON)],
)
def test_in_a_game_of_bots_a_mistake_is_about_a_moon(game, trick, seat, reason):
    commands = play_commands(rules(ending=ONE_DEAL), random.Random(game), by_levels)
    deal = played_deals(event for _, events in commands for event in events)[0]
    made = {(one.trick, one.move.seat): one for one in deal.decisions}

    verdict = judge(deal, made[trick, seat], "hard")

    assert verdict.is_dear
    assert verdict.why.reason == reason
    assert (verdict.why.best > verdict.why.other) == (reason == reasons.OWN_MOON)


def test_what_nobody_could_see_is_no_mistake():
    """Seat 0 leads; whether seat 1 or seat 2 has the ace above its king it cannot know."""
    game = late(seat0="KS 2C", seat1="AS 3C", seat2="4C 5C", seat3="QS 6C")
    other = late(seat0="KS 2C", seat1="QS 3C", seat2="4C 5C", seat3="AS 6C")

    seen, seen_elsewhere = (
        judge(*a_decision(one, PlayCard(0, card("KS"))), "hard") for one in (game, other)
    )

    assert seen[:-2] == seen_elsewhere[:-2]


@pytest.mark.parametrize("level", EFFORTS)
def test_the_same_decision_gets_the_same_verdict(level):
    case = a_decision(throwing_the_queen(), PlayCard(3, card("3H")))

    assert judge(*case, level) == judge(*case, level)


@pytest.mark.parametrize("path", recorded_games(), ids=lambda path: path.stem)
def test_decisions_are_judged_under_all_rules(path, monkeypatch):
    hurry(monkeypatch)
    events, rng = read(path), random.Random(1)

    for deal in played_deals(events):
        for decision in rng.sample(deal.decisions, 3):
            verdict = judge(deal, decision, "hard")
            assert verdict.loss >= 0
            assert verdict.open_loss >= 0
            assert verdict.phase == decision.phase
            assert (verdict.why is not None) == verdict.is_mistake


def test_only_what_stands_out_counts():
    clear, vague = a_verdict(loss=2.0, error=0.9), a_verdict(loss=2.0, error=1.1)

    assert (clear.is_mistake, clear.is_dear, clear.counted) == (True, True, 2.0)
    assert (vague.is_mistake, vague.is_dear, vague.counted) == (False, False, 0.0)
    assert not a_verdict(loss=0.9, error=0.1).is_dear


def test_what_a_seat_has_is_even_points_and_cards_and_play_and_the_rest():
    deals = [
        DealReview(1, (26, 0, 0, 0), (10.5, 5.5, 5.0, 5.0)),
        DealReview(2, (1, 12, 13, 0), (2.0, 8.0, 9.0, 7.0)),
    ]
    verdicts = [
        a_verdict(seat=0, loss=3.0, error=0.5),
        a_verdict(seat=0, loss=1.0, error=0.9),
        a_verdict(seat=2, loss=0.5, error=0.1),
    ]

    seats = seat_reviews(deals, verdicts, 4)

    assert [one.points for one in seats] == [27, 12, 13, 0]
    assert {one.even for one in seats} == {13.0}
    assert [one.cards for one in seats] == [-0.5, 0.5, 1.0, -1.0]
    assert [one.play for one in seats] == [3.0, 0.0, 0.5, 0.0]
    for one in seats:
        assert one.even + one.cards + one.play + one.rest == pytest.approx(one.points)
    assert (seats[0].decisions, seats[0].mistakes, seats[0].average_loss) == (2, 1, 1.5)


def test_the_three_dearest_mistakes_are_named_the_dearest_first():
    losses = [1.0, 4.0, 2.0, 4.0, 3.0]
    verdicts = [a_verdict(seq=seq, seat=1, loss=loss) for seq, loss in enumerate(losses)]

    _, seat, *_ = seat_reviews([], verdicts, 3)

    assert [one.seq for one in seat.dearest] == [1, 3, 4]
    assert seat.mistakes == 5


def test_what_a_pass_would_have_cost_is_judged_with_the_pass_that_was_made():
    events = play_game(rules(ending=ONE_DEAL), random.Random(7))
    deal = next(iter(played_deals(events)))
    decision = deal.decisions[0]
    assert isinstance(decision.move, PassCards)

    verdict = judge(deal, decision, "hard")

    assert len(verdict.move) == len(verdict.best) == len(verdict.open_best) == 3
