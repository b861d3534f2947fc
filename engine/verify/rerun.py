"""Playing a game again: the decider, with the links or the hands that are known."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine import commands as c
from engine import events as e
from engine.cards import PACK_SIZE, CardSet, card, union
from engine.dealing import given_deal
from engine.decide import decide
from engine.evolve import fold
from engine.lobby import said_again
from engine.rules import MOST_DEALS, Rules
from engine.seats import PerSeat
from engine.shuffle import is_link
from engine.state import State, table_of

_NO_LINK: Final = "0" * 64
_NOTED: Final = c.UpdateSeat | c.AssignBot | c.ChangeOptions | c.HandOver | c.TakeBack


class Rerun:
    """A game that is played again, up to the *state* after its *events*.

    *links* has those that are known, *given* the hands of deals without one, by deal. What
    is dealt with neither is made up, and is no part of the game.
    """

    def __init__(
        self, links: Mapping[int, str], given: Mapping[int, PerSeat[CardSet]] | None = None
    ) -> None:
        self.state: State | None = None
        self.events: list[e.Event] = []
        self._links = links
        self._given = {} if given is None else given

    def do(self, command: c.Command) -> Sequence[e.Event]:
        """Let *command* happen, and return what it causes.

        Raises:
            RuleViolation: The rules do not allow it now.
            CorruptLogError: It cannot follow on what has happened.
        """
        events = decide(self.state, command, self._link)
        if events and isinstance(events[-1], e.DealDealt) and events[-1].deal in self._given:
            before = fold(self.state, events[:-1])
            assert before is not None
            deal = events[-1].deal
            events[-1] = given_deal(table_of(before), deal, self._given[deal])
        self.state = fold(self.state, events)
        self.events += events
        return events

    def say_again(self, command: c.Command) -> Sequence[e.Event]:
        """Let *command*, which changes nothing, be noted all the same, and return as what.

        Nothing is noted but what can be, of seats and lobby.
        """
        if not isinstance(command, _NOTED):
            return ()
        assert self.state is not None, "commands need a game"
        event = said_again(self.state, command)
        self.state = fold(self.state, [event])
        self.events.append(event)
        return [event]

    def _link(self, deal: int) -> str:
        return self._links.get(deal, _NO_LINK)


def sound_links(links: Mapping[int, str], commitment: str) -> dict[int, str]:
    """Return those of *links*, by deal, that belong to *commitment*."""
    return {
        deal: link
        for deal, link in links.items()
        if deal <= MOST_DEALS and is_link(link, deal, commitment)
    }


def dealt_hands(rules: Rules, hands: Sequence[Sequence[str]]) -> PerSeat[CardSet] | None:
    """Return *hands*, one list of codes per seat, as sets; None if no deal gives them."""
    used, found = 0, []
    for codes in hands:
        hand = 0
        for code in codes:
            one = card(code)
            if one & used:
                one <<= PACK_SIZE  # the twin of the second pack
            if one & used or not one & rules.cards:
                return None
            used |= one
            hand |= one
        found.append(hand)
    sizes = {hand.bit_count() for hand in found}
    fits = sizes == {rules.hand_size} and used == union(found)
    return tuple(found) if fits else None
