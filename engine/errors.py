"""Refusals: what the rules say no to, each with the code that clients see.

::

    RuleViolation
    ├── RulesConflict                 options that contradict each other
    ├── LobbyRefusal                  claims and starts
    │   ├── LobbyClosed  SeatTaken  SeatIsBot  GameFull  NoSuchSeat
    │   ├── SeatsNotFilled  GameAlreadyStarted
    │   └── ClientSeedGiven  WrongJoinCode
    ├── GameRefusal                   the game is not where the command thinks
    │   ├── GameNotStarted  GameNotActive  GameNotFinished  NothingToPlay
    │   ├── KnowledgeDisabled  HintsDisabled  HintLimit
    │   └── NotYourTurn  WrongPhase
    └── IllegalMove                   the move itself
        ├── WrongPassCount  DuplicateCards  CardNotInHand
        └── MustFollowSuit  MustLeadLowestClub  MustLeadAClub
            HeartsNotBroken  QueenNotBeforeHearts  NoPointsOnFirstTrick

Messages give facts (whose turn, which card), built only from public facts and the
caller's own cards. A log that makes no sense is no refusal but a `CorruptLogError`.
"""

from collections.abc import Iterable
from typing import ClassVar

from engine.seats import Seat


class RuleViolation(Exception):
    """A command that the rules of the game do not allow now."""

    code: ClassVar[str]


class RulesConflict(RuleViolation):
    """Options that contradict each other, or the number of seats."""

    code = "rules_conflict"

    def __init__(self, message: str, fields: Iterable[str]) -> None:
        """Keep *fields*, the JSON pointers into the rules object of all sides."""
        super().__init__(message)
        self.fields = tuple(fields)


class LobbyRefusal(RuleViolation):
    """Something about seats and the start."""


class LobbyClosed(LobbyRefusal):
    """The host takes nobody in."""

    code = "lobby_closed"


class SeatTaken(LobbyRefusal):
    """Somebody else has claimed the seat."""

    code = "seat_taken"


class SeatIsBot(LobbyRefusal):
    """A bot plays the seat."""

    code = "seat_is_bot"


class GameFull(LobbyRefusal):
    """No human seat is free."""

    code = "game_full"


class NoSuchSeat(LobbyRefusal):
    """The table has fewer seats."""

    code = "seat_not_found"


class SeatsNotFilled(LobbyRefusal):
    """Nobody has claimed a human seat, where somebody has to."""

    code = "seats_not_filled"

    def __init__(self, open_seats: Iterable[Seat]) -> None:
        """Keep *open_seats*, the human seats nobody has claimed."""
        self.open_seats = tuple(open_seats)
        super().__init__(f"Nobody has claimed {_seats(self.open_seats)}.")


class GameAlreadyStarted(LobbyRefusal):
    """Claims, seeds and starts belong before the start."""

    code = "game_already_started"


class WrongJoinCode(LobbyRefusal):
    """The table is private, and who claims a seat does not know its code."""

    code = "wrong_join_code"


class ClientSeedGiven(LobbyRefusal):
    """A seat sends its client seed once."""

    code = "client_seed_given"


class GameRefusal(RuleViolation):
    """The game is not where the command thinks it is."""


class GameNotStarted(GameRefusal):
    """Nothing is dealt yet."""

    code = "game_not_started"


class GameNotActive(GameRefusal):
    """The game is over."""

    code = "game_not_active"


class GameNotFinished(GameRefusal):
    """The game goes on."""

    code = "game_not_finished"


class KnowledgeDisabled(GameRefusal):
    """The table is one where players have to keep count themselves."""

    code = "knowledge_disabled"


class HintsDisabled(GameRefusal):
    """The table is one where players have to find their moves themselves."""

    code = "hints_disabled"


class HintLimit(GameRefusal):
    """The seat has had its hint for this turn."""

    code = "hint_limit"


class NothingToPlay(GameRefusal):
    """Nobody has anything to decide any more."""

    code = "nothing_to_play"


class NotYourTurn(GameRefusal):
    """Another seat is to act."""

    code = "not_your_turn"


class WrongPhase(GameRefusal):
    """The table waits for another kind of move."""

    code = "wrong_phase"


class IllegalMove(RuleViolation):
    """A move of the right kind, by the right seat, that the rules forbid."""


class WrongPassCount(IllegalMove):
    """More or fewer cards than the deal's pass asks for."""

    code = "wrong_pass_count"


class DuplicateCards(IllegalMove):
    """A card named more often than the seat holds it."""

    code = "duplicate_cards"


class CardNotInHand(IllegalMove):
    """A card the seat does not hold."""

    code = "card_not_in_hand"


class IllegalPlay(IllegalMove):
    """A card in hand that may not be played now."""

    option: ClassVar[str | None]
    """The option behind the rule as ``group.field``, or None for what always holds."""


class MustFollowSuit(IllegalPlay):
    """A card of another suit while the suit led is in hand."""

    code = "must_follow_suit"
    option = None


class MustLeadLowestClub(IllegalPlay):
    """The deal opens with the lowest club."""

    code = "must_lead_lowest_club"
    option = "play.opening_lead"


class MustLeadAClub(IllegalPlay):
    """The deal opens with a club."""

    code = "must_lead_a_club"
    option = "play.opening_lead"


class HeartsNotBroken(IllegalPlay):
    """A heart led before hearts are broken."""

    code = "hearts_not_broken"
    option = "play.hearts_lead"


class QueenNotBeforeHearts(IllegalPlay):
    """The queen of spades before hearts are broken."""

    code = "queen_not_before_hearts"
    option = "play.queen"


class NoPointsOnFirstTrick(IllegalPlay):
    """A penalty card on the first trick."""

    code = "no_points_on_first_trick"
    option = "play.first_trick_points"


class CorruptLogError(Exception):
    """A log that no game can have written: it is never folded further."""


def _seats(seats: tuple[Seat, ...]) -> str:
    word = "seat" if len(seats) == 1 else "seats"
    return f"{word} {', '.join(map(str, seats))}"
