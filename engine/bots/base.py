"""What a bot is, and the only chance it has.

A bot is a pure function of what its seat sees and of a seed. It gets a `View`, never a
state, so it cannot know a hidden card; and whoever has the seed, which opens with the
deal's link, can make every move of a bot again. Draws are the shuffle's own: they come out
the same in every version of Python.

Source: docs/bots.md.
"""

import hmac
from enum import StrEnum
from typing import Final, Protocol

from engine.cards import Card, CardSet, in_deck_order, one_of_each
from engine.scoring import MoonChoice
from engine.seats import Seat
from engine.shuffle import byte_stream, draw
from engine.state import TurnType
from engine.view import DealView, View, You

SEEDS: Final = "hearts-bot-1"
"""Names the way from a deal's link to the draws of one decision."""


class Tempo(StrEnum):
    """How long a level takes for a move: no time to speak of, or so long that others notice."""

    QUICK = "quick"
    SLOW = "slow"


class Bot(Protocol):
    """Who plays a seat from its view alone; each method is asked only if its turn is open.

    *name* is for a seat that was given none, *summary* one sentence for people. *version*
    rises with every change after which some view and seed give another move. A level that takes
    more than a millisecond has the *tempo* `Tempo.SLOW`.
    """

    level: str
    version: int
    tempo: Tempo
    name: str
    summary: str

    def choose_pass(self, view: View, seed: bytes) -> tuple[Card, ...]:
        """Return as many cards of the hand as the pass takes; the order matters with scatter."""
        ...

    def choose_play(self, view: View, seed: bytes) -> Card:
        """Return one of the legal cards."""
        ...

    def choose_moon(self, view: View, seed: bytes) -> MoonChoice:
        """Return which way the points of the seat's own moon or sun go."""
        ...


def decision_seed(link: str, seat: Seat, phase: TurnType, trick: int) -> bytes:
    """Return the 32 bytes that one decision of *seat* in a deal is drawn from.

    *link* is the deal's, as 64 hex digits. *trick* is numbered from 1, and 0 where cards are
    passed or a moon is settled.

    Source: docs/bots.md, "The seed of a decision".
    """
    message = f"{SEEDS}|{seat}|{phase}|{trick}"
    return hmac.digest(bytes.fromhex(link), message.encode("ascii"), "sha256")


def seed_for(view: View, link: str) -> bytes:
    """Return the seed of the decision that *view* asks its seat for; *link* is the deal's.

    Raises:
        AssertionError: The seat is not to act.
    """
    phase = phase_of(view)
    trick = deal_in(view).trick_number if phase is TurnType.PLAY else 0
    return decision_seed(link, you_in(view).seat, phase, trick)


def phase_of(view: View) -> TurnType:
    """Return what *view* asks its seat for.

    Raises:
        AssertionError: The seat is not to act.
    """
    assert view.turn is not None, "nobody is to act"
    assert you_in(view).to_act, "it is the turn of others"
    return view.turn.type


def you_in(view: View) -> You:
    """Return the seat's own part of *view*.

    Raises:
        AssertionError: It is the public's view.
    """
    assert view.you is not None, "the public has no seat"
    return view.you


def deal_in(view: View) -> DealView:
    """Return the deal on the table of *view*.

    Raises:
        AssertionError: Nothing is dealt.
    """
    assert view.deal is not None, "nothing is dealt"
    return view.deal


class Draws:
    """Even draws that *seed* fixes, one after the other.

    Source: docs/bots.md, "The seed of a decision".
    """

    def __init__(self, seed: bytes) -> None:
        self._stream = byte_stream(seed, f"{SEEDS}|draw|")

    def below(self, count: int) -> int:
        """Return a number from 0 to *count* - 1; *count* is 1 to 256."""
        return draw(self._stream, count)

    def card(self, some: CardSet) -> Card:
        """Return one card of *some*, which is not empty; twins are as likely as a single card."""
        return self.cards(one_of_each(some), 1)[0]

    def cards(self, some: CardSet, count: int) -> tuple[Card, ...]:
        """Return *count* distinct cards of *some* in the order drawn."""
        left = list(in_deck_order(some))
        return tuple(left.pop(self.below(len(left))) for _ in range(count))
