"""Positions to analyse, and all their cards laid open."""

from engine.analysis import Truth, analyse_openly
from engine.state import Passing, table_of
from engine.view import all_hands, kitty_of, view_for
from tests.table import a_deal, trick

SEED = bytes(range(32))
ALL_PENALTIES = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"


def openly(game, seat, sims=40):
    return analyse_openly(view_for(seat, game), truth_of(game), sims, SEED)


def a_moon_to_spoil():
    """Return a deal in which seat 0 lacks one heart, and seat 3 may take the trick with it."""
    return a_deal(
        trick=trick(0, "KS 2S AH"),
        seat0="2C",
        seat1="3C",
        seat2="4C",
        seat3="AS 4S",
        taken=("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH QS", "", "", ""),
        hearts_broken=True,
    )


def truth_of(state):
    hands = table_of(state).dealt[-1] if isinstance(state, Passing) else all_hands(state)
    return Truth(hands, kitty_of(state))
