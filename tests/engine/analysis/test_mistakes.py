import pytest

from engine.analysis.mistakes import sentence
from engine.analysis.review import Verdict


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
                "deal 3, trick 5: led the ace of hearts; the four of spades costs 2.1 ± 0.4 points"
                " less"
            ),
        ),
        (
            a_verdict(move=("TC",), best=("2C",)),
            False,
            (
                "deal 3, trick 5: played the ten of clubs; the two of clubs costs 2.1 ± 0.4 points"
                " less"
            ),
        ),
        (
            a_verdict("pass", ("2C", "3C", "QS"), ("KH", "KS", "AH"), trick=0),
            False,
            (
                "deal 3, pass: passed the two of clubs, the three of clubs and the queen of spades;"
                " passing the king of hearts, the king of spades and the ace of hearts costs"
                " 2.1 ± 0.4 points less"
            ),
        ),
        (
            a_verdict("moon", ("others_add",), ("self_subtract",), trick=0),
            False,
            (
                "deal 3, moon: settled the moon by adding to the others; subtracting from the own"
                " total costs 2.1 ± 0.4 points less"
            ),
        ),
    ],
)
def test_a_mistake_is_told_in_plain_words(verdict, is_lead, text):
    assert sentence(verdict, is_lead=is_lead) == text
