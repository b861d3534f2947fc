"""Scoring a deal, the moon and the sun, and the end of a game.

Source: docs/rules.md, section 3, "Order at a deal's end".
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

from engine.cards import CardSet
from engine.rules import MOST_DEALS, Moon, MoonNeeds, Reach, Rules, Tie
from engine.seats import PerSeat, Seat, for_each_seat


class ShotKind(StrEnum):
    """What a seat has shot."""

    MOON = "moon"
    SUN = "sun"


class MoonChoice(StrEnum):
    """Which way the points of a moon or sun go."""

    OTHERS_ADD = "others_add"
    SELF_SUBTRACT = "self_subtract"


class Reason(StrEnum):
    """Why a finished game is over."""

    TARGET_REACHED = "target_reached"
    DEALS_PLAYED = "deals_played"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class Shot:
    """A moon or sun: *points* are what it is worth."""

    seat: Seat
    kind: ShotKind
    points: int


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game: *places* from 1, equal totals share one; *winners* have place 1."""

    totals: PerSeat[int]
    places: PerSeat[int]
    winners: tuple[Seat, ...]
    reason: Reason


class Progress(NamedTuple):
    """How far a game has come: deals *scored*, and the number of the *last*, whose link is spent.

    They differ once a deal was voided.
    """

    scored: int
    last: int

    def with_this_deal(self) -> "Progress":
        """Return the same once the last deal is scored, too."""
        return Progress(self.scored + 1, self.last)


def raw_points(taken: PerSeat[CardSet], rules: Rules) -> PerSeat[int]:
    """Return the points of the cards each seat has *taken*; may be negative (bonus cards)."""
    return tuple(rules.points_in(some) for some in taken)


def shot(taken: PerSeat[CardSet], rules: Rules) -> Shot | None:
    """Return the sun, else the moon, that *taken* shows, or None.

    Detected by the cards taken, never by their sum.
    """
    if rules.scoring.moon is Moon.OFF:
        return None
    sun_points = rules.scoring.sun_points
    for seat, some in enumerate(taken):
        if sun_points is not None and some == rules.cards:
            return Shot(seat, ShotKind.SUN, sun_points)
        if rules.penalties and not _needed(rules) & ~some:
            return Shot(seat, ShotKind.MOON, rules.moon_points)
    return None


def _needed(rules: Rules) -> CardSet:
    match rules.scoring.moon_needs:
        case MoonNeeds.PENALTIES:
            return rules.penalties
        case MoonNeeds.COUNTERS:
            return rules.penalties | rules.bonuses
        case MoonNeeds.TRICKS:
            return rules.cards
        case other:
            assert_never(other)


def settled_choice(
    found: Shot, taken: PerSeat[CardSet], totals: PerSeat[int], progress: Progress, rules: Rules
) -> MoonChoice | None:
    """Return which way *found* goes by the rules alone, or None if its shooter chooses.

    *scored* is the number of deals scored before this one.
    """
    match rules.scoring.moon:
        case Moon.SHOOTER_CHOICE | Moon.OFF:
            return None
        case Moon.OTHERS_ADD:
            return MoonChoice.OTHERS_ADD
        case Moon.SELF_SUBTRACT:
            return MoonChoice.SELF_SUBTRACT
        case Moon.SAFETY:
            return safe_choice(found, taken, totals, progress, rules)
        case other:
            assert_never(other)


def safe_choice(
    found: Shot, taken: PerSeat[CardSet], totals: PerSeat[int], progress: Progress, rules: Rules
) -> MoonChoice:
    """Return the choice that never loses the game: add, unless that ends it for another."""
    points = deal_points(taken, rules, found, MoonChoice.OTHERS_ADD)
    after = tuple(map(sum, zip(totals, points, strict=True)))
    end = result_of(after, progress.with_this_deal(), rules)
    if end is not None and found.seat not in end.winners:
        return MoonChoice.SELF_SUBTRACT
    return MoonChoice.OTHERS_ADD


def deal_points(
    taken: PerSeat[CardSet], rules: Rules, found: Shot | None, choice: MoonChoice | None
) -> PerSeat[int]:
    """Return by how much each total changes for one deal; may be negative.

    *found* and *choice* are the moon or sun of the deal and which way it goes.
    """
    return for_each_seat(
        rules.seats,
        lambda seat: (
            _without_bonus(seat, taken[seat], rules, found, choice)
            + _bonus(seat, taken[seat], rules, found)
        ),
    )


def _without_bonus(
    seat: Seat, taken: CardSet, rules: Rules, found: Shot | None, choice: MoonChoice | None
) -> int:
    if found is None:
        return rules.points_in(taken & rules.penalties)
    if choice is MoonChoice.SELF_SUBTRACT:
        return -found.points if seat == found.seat else 0
    return 0 if seat == found.seat else found.points


def _bonus(seat: Seat, taken: CardSet, rules: Rules, found: Shot | None) -> int:
    if not taken:
        return rules.scoring.no_trick
    if found is not None and seat == found.seat and rules.scoring.moon_absorbs_bonus:
        return 0
    return rules.points_in(taken & rules.bonuses)


def result_of(totals: PerSeat[int], progress: Progress, rules: Rules) -> Result | None:
    """Return how the game ends with *totals* after *progress*, or None if it goes on."""
    reason = _reason(totals, progress.scored, rules)
    if reason is not None and (rules.ending.tie is Tie.SHARE or _is_alone_lowest(totals)):
        return _result(totals, reason)
    # Where no further deal can break a tie, it is shared.
    return _result(totals, Reason.TOO_LONG) if progress.last >= MOST_DEALS else None


def _is_alone_lowest(totals: PerSeat[int]) -> bool:
    return totals.count(min(totals)) == 1


def _result(totals: PerSeat[int], reason: Reason) -> Result:
    winners = tuple(seat for seat, total in enumerate(totals) if total == min(totals))
    return Result(totals, places_of(totals), winners, reason)


def _reason(totals: PerSeat[int], scored: int, rules: Rules) -> Reason | None:
    ending = rules.ending
    if ending.target is not None:
        highest = max(totals)
        exceed = ending.reach is Reach.EXCEED
        if highest > ending.target or (highest == ending.target and not exceed):
            return Reason.TARGET_REACHED
    if ending.deals is not None and scored >= ending.deals:
        return Reason.DEALS_PLAYED
    return None


def places_of(totals: PerSeat[int]) -> PerSeat[int]:
    """Return each seat's place from 1: one more than the seats with a lower total."""
    return tuple(1 + sum(other < total for other in totals) for total in totals)
