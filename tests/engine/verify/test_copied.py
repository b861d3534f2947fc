"""A fork is told whole: what was copied, how far, and what was played after it."""

import random
import re
from dataclasses import replace

import pytest

from engine import commands as c
from engine import events as e
from engine.notation.reader import read_game
from engine.notation.record import POSITION, Start
from engine.notation.recorder import Eyes
from engine.notation.writer import write_game
from engine.resuming import position_of
from engine.state import Shooting
from engine.verify.copied import CopiedDeal
from engine.verify.report import Check, Verdict
from engine.verify.text import verified_text, verify_text
from tests.engine.notation.records import TABLES, text_of
from tests.engine.verify.corruptions import corrupted
from tests.forks import SHORT, a_position, deals_of, fork_of
from tests.table import rules

PASSED = dict.fromkeys(Check, Verdict.PASS)


@pytest.fixture(scope="module")
def text():
    """The text of a fork from the second deal, where half a trick lies there, of three."""
    made = rules("omnibus", ending=SHORT)
    return text_of(fork_of(made, random.Random(1), at=23, deal=2))


def changed(text, pattern, new):
    found, times = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
    assert times == 1
    assert found != text
    return found


def error(text):
    report = verify_text(text)
    assert not report.is_valid
    return report.first_error.check, report.first_error.code


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_fork_of_every_preset_is_right_and_read_as_it_was_written(name, seats):
    rng = random.Random(f"{name} {seats}")
    for deal in (1, 2):
        events = fork_of(rules(name, seats=seats, ending=SHORT), rng, deal=deal)
        text = text_of(events)

        report, again, reading, _ = verified_text(text)

        assert report.checks == PASSED
        assert report.deals == 4 - deal
        assert write_game(reading.record) == text
        assert text_of([*again]) == text.replace(_tag(text, "Origin"), '[Origin "-"]').replace(
            _tag(text, "Game"), _tag(text_of([*again]), "Game")
        )


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_no_changed_word_of_a_fork_passes(name, seats):
    rng = random.Random(f"changed {name} {seats}")
    text = text_of(fork_of(rules(name, seats=seats, ending=SHORT), rng))
    for _ in range(8):
        change = corrupted(text, rng)
        report = verify_text(change.text)

        # How many of the moves were copied, only the origin can say.
        is_position = change.text.split("\n")[change.line - 1].startswith("[Position ")
        proved = report.checks[Check.COMMITMENT] is Verdict.PASS
        passes = report.is_valid and proved and not is_position
        assert not passes or change.is_harmless(text), change[1:]


def _tag(text, name):
    return re.search(rf'^\[{name} ".*"\]$', text, re.MULTILINE)[0]


@pytest.mark.parametrize("reveal", ["deal_end", "game_end"])
def test_a_fork_from_any_move_of_a_deal_is_right(reveal):
    made = rules("omnibus", reveal=reveal, ending=SHORT)
    for at in range(0, 56, 3):
        assert verify_text(text_of(fork_of(made, random.Random(at), at=at))).checks == PASSED


def test_a_fork_in_which_somebody_has_to_choose_is_right():
    state = a_position(Shooting)
    position = position_of(state)

    again = _replayed(position, state.played.table.rules)

    assert again == position


def _replayed(position, made):
    start = Start(position.moves, position.scored, position.totals)
    copied = CopiedDeal(made, start, position.deal, position.dealt)
    for seat, cards in enumerate(position.passed):
        copied.do(c.PassCards(seat, cards))
    for past in position.tricks:
        for seat, card in past.trick.plays(made.seats):
            copied.do(c.PlayCard(seat, card))
    return copied.position


def test_a_fork_says_how_far_it_was_copied(text):
    reading = read_game(text)

    assert reading.facts.start.moves == 23
    assert reading.facts.start.scored == 1
    assert [line.number for line in reading.record.lines if hasattr(line, "hands")] == [2, 3]
    assert list(reading.record.tags)[-1] == POSITION


def test_others_see_of_a_fork_what_they_may_see():
    made = rules("kitty", seats=3, ending=SHORT)
    events = fork_of(made, random.Random(2), at=30)
    (place,) = (at for at, event in enumerate(events) if isinstance(event, e.PositionSet))
    begun = events[: place + 1]

    public = text_of(begun, Eyes())
    own = text_of(begun, Eyes(reader=0))

    assert re.search(r"^D1 \? \? \?", public, re.MULTILINE)
    assert re.search(r"^D1 \S{8,} \? \?", own, re.MULTILINE)
    assert verify_text(public).is_valid
    assert verify_text(own).is_valid


def test_the_copied_hands_are_not_those_of_the_forks_own_chain(text):
    hands = changed(text, r"^D2 (\S+) (\S+)", r"D2 \2 \1")

    assert error(hands)[0] is not Check.DEALS
    later = changed(text, r"^D3 (\S+) (\S+)", r"D3 \2 \1")
    assert error(later) == (Check.DEALS, "wrong_hands")


WRONG = {
    "a game that began here": (r'^\[Origin ".*', '[Origin "-"]', Check.DEALS, "wrong_origin"),
    "more moves than there are": (r'"23 1 ', '"300 1 ', Check.LEGALITY, "wrong_position"),
    "more deals than there were": (r'"23 1 ', '"23 2 ', Check.LEGALITY, "wrong_position"),
    "a game that was over": (r'"23 1 ', '"23 3 ', Check.LEGALITY, "wrong_position"),
    "another total": (r'"23 1 (-?)\d+', '"23 1 \\g<1>77', Check.SCORES, "wrong_totals"),
    "no number": (r'"23 1 ', '"x 1 ', Check.SYNTAX, "bad_tag_value"),
    "a total too few": (r'"23 1 \S+ ', '"23 1 ', Check.SYNTAX, "bad_tag_value"),
    "no position": (r'^\[Position ".*\n', "", Check.COMMITMENT, "wrong_link"),
    "a play before the deal": (
        r"^D2 (.*\n(?:.*\n)*?)1\. (.*\n)",
        r"1. \2D2 \1",
        Check.LEGALITY,
        "wrong_position",
    ),
    "another deal": ("^D2 ", "D400 ", Check.COMMITMENT, "wrong_link"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_a_fork_says_of_its_beginning_is_held_against_the_rest(text, wrong):
    pattern, new, check, code = wrong

    assert error(changed(text, pattern, new)) == (check, code)


def test_a_position_at_the_end_of_a_deal_is_none():
    made = rules(ending=SHORT)
    rests, moves = next(deals_of(made, random.Random(1)))
    first = position_of(rests[0])
    copied = CopiedDeal(made, Start(len(moves), 0, first.totals), 1, first.dealt)
    for move, _ in moves:
        copied.do(move)

    assert copied.is_whole
    assert copied.position is None


def test_another_number_of_moves_is_another_position_or_none(text):
    for moves in (0, 4, 22, 24, 40):
        report, events, *_ = verified_text(changed(text, r'"23 1 ', f'"{moves} 1 '))

        assert report.is_valid
        position = next(one.position for one in events if hasattr(one, "position") and one.position)
        assert replace(position, totals=()).moves == moves
