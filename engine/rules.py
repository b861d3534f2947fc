"""The options of a game, and what follows from them.

A `Rules` spells every option out; a preset (`engine.presets`) is a name for some of
them. What play and scoring need is worked out once per `Rules`, as sets of cards, so
that no option is asked for while a card is played.

Source: docs/rules.md, sections 1 and 3.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from engine.cards import (
    CLUBS,
    CODES,
    HEARTS,
    NO_CARDS,
    PACK_SIZE,
    QUEEN_OF_SPADES,
    RANKS,
    Card,
    CardSet,
    card,
    cards,
    lowest,
    named,
    rank_of,
    union,
)

RULES_VERSION: Final = 1
"""Names this reading of the rules; a change that scores or allows otherwise raises it."""

MOST_DEALS: Final = 256
"""A game ends after as many deals as the chain has links."""


class Removal(StrEnum):
    """Which cards leave the pack before the deal."""

    STANDARD = "standard"
    NONE = "none"


class Leftover(StrEnum):
    """What becomes of the cards that do not deal evenly."""

    NONE = "none"
    KITTY = "kitty"


class KittyTo(StrEnum):
    """Which trick the kitty goes with."""

    FIRST_TRICK = "first_trick"
    FIRST_PENALTY_TRICK = "first_penalty_trick"
    LAST_TRICK = "last_trick"


class Direction(StrEnum):
    """Where passed cards go."""

    LEFT = "left"
    RIGHT = "right"
    ACROSS = "across"
    HOLD = "hold"
    LEFT2 = "left2"
    RIGHT2 = "right2"
    SCATTER = "scatter"


class OpeningLead(StrEnum):
    """Who leads to the first trick, and what."""

    LOWEST_CLUB = "lowest_club"
    ANY_CLUB = "any_club"
    ELDEST = "eldest"


class FirstTrickPoints(StrEnum):
    """Whether penalty cards may fall on the first trick."""

    FORBIDDEN = "forbidden"
    ALLOWED = "allowed"


class HeartsLead(StrEnum):
    """When hearts may be led."""

    AFTER_BROKEN = "after_broken"
    ANY_TIME = "any_time"


class BrokenBy(StrEnum):
    """Which cards break hearts when they are played."""

    HEART_OR_QUEEN = "heart_or_queen"
    HEART = "heart"


class QueenLimit(StrEnum):
    """When the queen of spades may be played."""

    FREE = "free"
    NO_LEAD_UNTIL_BROKEN = "no_lead_until_broken"
    NO_PLAY_UNTIL_BROKEN = "no_play_until_broken"


class HeartsAndQueen(StrEnum):
    """What a leader with only hearts and the queen of spades does before hearts are broken."""

    QUEEN_MUST_LEAD = "queen_must_lead"
    FREE_CHOICE = "free_choice"


class HeartPoints(StrEnum):
    """What a heart counts."""

    ONE = "one"
    RANK = "rank"


class Moon(StrEnum):
    """What taking all penalty cards does."""

    SHOOTER_CHOICE = "shooter_choice"
    OTHERS_ADD = "others_add"
    SELF_SUBTRACT = "self_subtract"
    SAFETY = "safety"
    OFF = "off"


class MoonNeeds(StrEnum):
    """What a seat must have taken for a moon."""

    PENALTIES = "penalties"
    COUNTERS = "counters"
    TRICKS = "tricks"


class Reach(StrEnum):
    """How a total meets the target."""

    AT_LEAST = "at_least"
    EXCEED = "exceed"


class Tie(StrEnum):
    """What equal lowest totals do at the end."""

    PLAY_ON = "play_on"
    SHARE = "share"


class Reveal(StrEnum):
    """When hands and the deal's link open to all."""

    DEAL_END = "deal_end"
    GAME_END = "game_end"


STANDARD_REMOVALS: Final[Mapping[int, CardSet]] = MappingProxyType(
    {
        3: cards("2D"),
        4: NO_CARDS,
        5: cards("2D 2C"),
        6: cards("2D 3D 3C 4C"),
        7: cards("2D 3D 3C"),
    }
)
"""Seats → the cards left out of one pack so that it deals evenly and keeps its 26 points."""

SEATS_OF_PACKS: Final[Mapping[int, range]] = MappingProxyType({1: range(3, 8), 2: range(5, 12)})
"""Packs → the numbers of seats they are played by."""


def usual_cycle(seats: int) -> tuple[Direction, ...]:
    """Return the pass directions of *seats*, deal by deal, to be repeated."""
    if seats == 4:  # noqa: PLR2004 - the one table that has an opposite seat and a hold
        return (Direction.LEFT, Direction.RIGHT, Direction.ACROSS, Direction.HOLD)
    return (Direction.LEFT, Direction.RIGHT)


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards in play; *remove* is a named removal or the cards to leave out of each pack.

    *leftover* says whether there may be a kitty, *kitty_to* who takes it.
    """

    remove: Removal | CardSet = Removal.STANDARD
    packs: int = 1
    leftover: Leftover = Leftover.NONE
    kitty_to: KittyTo = KittyTo.FIRST_TRICK


@dataclass(frozen=True, slots=True)
class Passing:
    """How many cards go where; *cycle* is one direction per deal, repeated."""

    count: int = 3
    cycle: tuple[Direction, ...] = usual_cycle(4)


@dataclass(frozen=True, slots=True)
class Play:
    """What may be led and played; with *cancel_pairs* two equal cards of a trick never win."""

    opening_lead: OpeningLead = OpeningLead.LOWEST_CLUB
    first_trick_points: FirstTrickPoints = FirstTrickPoints.FORBIDDEN
    hearts_lead: HeartsLead = HeartsLead.AFTER_BROKEN
    hearts_broken_by: BrokenBy = BrokenBy.HEART_OR_QUEEN
    queen: QueenLimit = QueenLimit.FREE
    hearts_and_queen: HeartsAndQueen = HeartsAndQueen.QUEEN_MUST_LEAD
    cancel_pairs: bool = False


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points; *extra* maps cards, *hearts* maybe ranks, to points, negative for a bonus.

    *moon_points* None stands for the sum of the positive points in play, *sun_points*
    None for no sun.
    """

    hearts: HeartPoints | Mapping[str, int] = HeartPoints.ONE
    queen_of_spades: int = 13
    extra: Mapping[Card, int] = field(default_factory=lambda: MappingProxyType({}))
    no_trick: int = 0
    moon: Moon = Moon.SHOOTER_CHOICE
    moon_points: int | None = None
    moon_needs: MoonNeeds = MoonNeeds.PENALTIES
    moon_absorbs_bonus: bool = False
    sun_points: int | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """When a game is over; *target* in points, *deals* in deals scored."""

    target: int | None = 100
    deals: int | None = None
    reach: Reach = Reach.AT_LEAST
    tie: Tie = Tie.PLAY_ON


class PlayLimits(NamedTuple):
    """The play options of one game as sets of cards."""

    opening: OpeningLead
    barred_on_first_trick: CardSet
    unbroken_lead: CardSet
    unbroken_follow: CardSet
    breaks_hearts: CardSet
    free_among: CardSet
    """A leader who holds nothing else leads any of these, hearts broken or not."""


@dataclass(frozen=True)
class Rules:
    """Every option of one game, and the name of the preset it began from."""

    preset: str = "standard"
    seats: int = 4
    deck: Deck = Deck()
    passing: Passing = Passing()
    play: Play = Play()
    scoring: Scoring = Scoring()
    ending: Ending = Ending()
    reveal: Reveal = Reveal.DEAL_END
    version: int = RULES_VERSION

    @cached_property
    def removed(self) -> CardSet:
        """The cards left out of each pack, named by those of the first."""
        match self.deck.remove:
            case Removal.STANDARD:
                return STANDARD_REMOVALS[self.seats] if self.deck.packs == 1 else NO_CARDS
            case Removal.NONE:
                return NO_CARDS
            case chosen:
                return chosen

    @cached_property
    def deck_order(self) -> tuple[Card, ...]:
        """The cards in play in the order the shuffle begins with, one pack after the other."""
        pack = [card(code) for code in CODES if not card(code) & self.removed]
        return tuple(one << number * PACK_SIZE for number in range(self.deck.packs) for one in pack)

    @cached_property
    def cards(self) -> CardSet:
        """The cards in play."""
        return union(self.deck_order)

    @property
    def hand_size(self) -> int:
        """The cards each seat is dealt."""
        return len(self.deck_order) // self.seats

    @property
    def kitty_size(self) -> int:
        """The cards that are left when every seat has its hand."""
        return len(self.deck_order) % self.seats

    @cached_property
    def points(self) -> Mapping[Card, int]:
        """Each counter in play → its points, negative for a bonus card."""
        worth = {one: self._worth(one) for one in self.deck_order}
        return MappingProxyType({one: points for one, points in worth.items() if points})

    @cached_property
    def value_sets(self) -> tuple[tuple[int, CardSet], ...]:
        """The counters in play, as pairs of points and the cards worth as much."""
        values = sorted(set(self.points.values()))
        return tuple(
            (value, union(one for one, points in self.points.items() if points == value))
            for value in values
        )

    @cached_property
    def penalties(self) -> CardSet:
        """The cards in play worth more than nothing."""
        return union(one for one, points in self.points.items() if points > 0)

    @cached_property
    def bonuses(self) -> CardSet:
        """The cards in play worth less than nothing."""
        return union(one for one, points in self.points.items() if points < 0)

    @cached_property
    def penalty_points(self) -> int:
        """The sum of the positive points in play."""
        return sum(points for points in self.points.values() if points > 0)

    @property
    def moon_points(self) -> int:
        """The points a moon is worth."""
        chosen = self.scoring.moon_points
        return self.penalty_points if chosen is None else chosen

    @cached_property
    def opening_card(self) -> Card | None:
        """The lowest club in play where a club opens; None where the eldest leads.

        None with a kitty too, which may hold that club.
        """
        if self.play.opening_lead is OpeningLead.ELDEST or self.kitty_size:
            return None
        return lowest(self.cards & CLUBS) or None

    @cached_property
    def limits(self) -> PlayLimits:
        """The play options as sets of cards."""
        play = self.play
        queen = QUEEN_OF_SPADES if self.scoring.queen_of_spades else NO_CARDS
        late_hearts = HEARTS if play.hearts_lead is HeartsLead.AFTER_BROKEN else NO_CARDS
        free = play.queen is QueenLimit.FREE
        no_play = play.queen is QueenLimit.NO_PLAY_UNTIL_BROKEN
        relief = free and play.hearts_and_queen is HeartsAndQueen.FREE_CHOICE
        forbidden = play.first_trick_points is FirstTrickPoints.FORBIDDEN
        queen_breaks = play.hearts_broken_by is BrokenBy.HEART_OR_QUEEN
        return PlayLimits(
            opening=play.opening_lead,
            barred_on_first_trick=self.penalties if forbidden else NO_CARDS,
            unbroken_lead=late_hearts | (NO_CARDS if free else queen),
            unbroken_follow=queen if no_play else NO_CARDS,
            breaks_hearts=HEARTS | (queen if queen_breaks else NO_CARDS),
            free_among=HEARTS | queen if relief else NO_CARDS,
        )

    def points_in(self, some: CardSet) -> int:
        """Return the points of the cards in *some*; may be negative."""
        return sum(points * (some & worth).bit_count() for points, worth in self.value_sets)

    def _worth(self, one: Card) -> int:
        chosen = self.scoring.extra.get(named(one))
        if chosen is not None:
            return chosen
        if one & QUEEN_OF_SPADES:
            return self.scoring.queen_of_spades
        if one & HEARTS:
            return self._heart_points(rank_of(one))
        return 0

    def _heart_points(self, rank: int) -> int:
        match self.scoring.hearts:
            case HeartPoints.ONE:
                return 1
            case HeartPoints.RANK:
                return rank + 2
            case chosen:
                return chosen.get(RANKS[rank], 0)
