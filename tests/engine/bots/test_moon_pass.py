import pytest

from engine.bots.giving import heaviest
from engine.bots.moon_pass import bold_pass
from engine.bots.pass_search import best_pass
from engine.bots.pass_worlds import PassWorlds
from engine.bots.standing import by_points
from engine.cards import cards, codes_of, union
from engine.view import view_for
from tests.table import STANDARD, a_new_deal, rules

SEED = bytes(range(32))
STRONG = "AC KC QC JC 2D 3D AS KS QS JS AH KH 3H"
WEAK = "2C 3C 4C 5C 2D 4D 5D 2S 4S 5S 2H 4H 6H"
BUDGET = 1_000


def dealt(hand, known=STANDARD):
    """Return what seat 0 sees, which holds *hand* and is to pass; the others have what is left."""
    rest = codes_of(known.cards & ~cards(hand))
    others = {f"seat{seat}": " ".join(rest[seat - 1 :: 3]) for seat in (1, 2, 3)}
    return view_for(0, a_new_deal(rules=known, seat0=hand, **others))


def bold(view, budget=BUDGET):
    aim = by_points(view)
    usual = heaviest(view.you.hand, 3, view.rules)
    found = bold_pass(view, PassWorlds(view, SEED, aim), usual, budget, aim)
    return found and " ".join(codes_of(union(found)))


def test_a_strong_hand_is_rid_of_its_losers():
    assert bold(dealt(STRONG)) == "2D 3D 3H"


def test_a_weak_hand_passes_as_it_would_without_a_moon():
    assert bold(dealt(WEAK)) is None


@pytest.mark.parametrize("scoring", [{"moon": "off"}, {"moon_points": -5}])
def test_so_does_a_strong_one_where_a_moon_brings_nothing(scoring):
    assert bold(dealt(STRONG, rules(scoring=scoring))) is None


def test_too_few_simulations_say_nothing():
    assert bold(dealt(STRONG), budget=400) is None


def test_the_search_for_a_pass_takes_it():
    view = dealt(STRONG)

    assert union(best_pass(view, SEED, BUDGET)) == cards("2D 3D 3H")
