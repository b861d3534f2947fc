import pytest

from engine import reasons
from engine.analysis.mistakes import sentence
from engine.analysis.reasons import Why
from engine.analysis.review import Verdict
from tests.table import rules


def a_verdict(phase="play", move=("AH",), best=("4S",), trick=5, **more):
    return Verdict(
        **{
            "seq": 156,
            "deal": 3,
            "trick": trick,
            "seat": 2,
            "phase": phase,
            "move": move,
            "points": 6.9,
            "best": best,
            "best_points": 4.1,
            "loss": 2.12,
            "error": 0.41,
            "why": Why(reasons.FEWER_POINTS),
            "open_best": best,
            "open_loss": 3.0,
        }
        | more
    )


@pytest.mark.parametrize(
    ("verdict", "is_lead", "text"),
    [
        (
            a_verdict(),
            True,
            (
                "deal 3, trick 5: led the ace of hearts; the four of spades is 2.1 ± 0.4 points"
                " better"
            ),
        ),
        (
            a_verdict(move=("TC",), best=("2C",)),
            False,
            (
                "deal 3, trick 5: played the ten of clubs; the two of clubs is 2.1 ± 0.4 points"
                " better"
            ),
        ),
        (
            a_verdict("pass", ("2C", "3C", "QS"), ("KH", "KS", "AH"), trick=0),
            False,
            (
                "deal 3, pass: passed the two of clubs, the three of clubs and the queen of spades;"
                " passing the king of hearts, the king of spades and the ace of hearts is"
                " 2.1 ± 0.4 points better"
            ),
        ),
        (
            a_verdict("moon", ("others_add",), ("self_subtract",), trick=0),
            False,
            (
                "deal 3, moon: settled the moon by adding the points to the others; subtracting the"
                " points is 2.1 ± 0.4 points better"
            ),
        ),
    ],
)
def test_a_mistake_is_told_in_plain_words(verdict, is_lead, text):
    assert sentence(verdict, rules(), is_lead=is_lead) == text


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (reasons.DEAREST_CARD, "it keeps the queen of spades away"),
        (reasons.DEAREST_LEFT, "it avoids the dearest card left"),
        (reasons.OWN_MOON, "it shoots the moon"),
        (reasons.OTHER_MOON, "it lets another seat shoot the moon"),
    ],
)
def test_a_mistake_ends_with_the_reason_of_its_loss_and_both_chances(reason, text):
    why = Why(reason, 64, 3)
    played = a_verdict(why=why)
    passed = a_verdict("pass", ("QS",), ("AH",), trick=0, why=why)

    assert sentence(played, rules(), is_lead=True).endswith(
        f" points better: {text} in 64 % of the worlds tried, the ace of hearts in 3 %"
    )
    assert sentence(passed, rules(), is_lead=False).endswith(
        f" points better: {text} in 64 % of the worlds tried, the pass made in 3 %"
    )


def test_the_dearest_penalty_of_a_mistake_is_that_of_the_rules():
    omnibus = rules(scoring={"extra": {"TC": 20}})
    verdict = a_verdict(why=Why(reasons.DEAREST_CARD, 9, 8))

    assert ": it keeps the ten of clubs away in 9 % " in sentence(verdict, omnibus, is_lead=True)


def test_what_is_no_mistake_has_no_reason():
    text = sentence(a_verdict(why=None), rules(), is_lead=True)

    assert text.endswith(" is 2.1 ± 0.4 points better")


def test_a_better_move_that_costs_no_less_says_what_it_is_better_for():
    text = sentence(a_verdict(why=Why(reasons.MORE_FOR_OTHERS)), rules(), is_lead=True)

    assert text.endswith(" is 2.1 ± 0.4 points better: the others then get more")
