"""The one table of variants: each a name for some options.

Source: docs/rules.md, section 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from engine.cards import card, cards
from engine.errors import RulesConflict
from engine.rules import (
    SEATS_OF_PACKS,
    BrokenBy,
    Deck,
    Direction,
    Ending,
    FirstTrickPoints,
    HeartPoints,
    HeartsLead,
    Leftover,
    Moon,
    MoonNeeds,
    OpeningLead,
    Passing,
    Play,
    Removal,
    Rules,
    Scoring,
    usual_cycle,
)

_ANY_TABLE: Final = tuple(SEATS_OF_PACKS[1])


@dataclass(frozen=True, slots=True)
class Preset:
    """Options under a name, for the numbers of *seats* it knows.

    *usual_seats* is the table of a game that says nothing of its seats. *cycle* None stands
    for the usual pass directions of the table; *decks* maps a number of seats to a deck of
    its own.
    """

    summary: str
    seats: tuple[int, ...] = _ANY_TABLE
    usual_seats: int = 4
    cycle: tuple[Direction, ...] | None = None
    play: Play = Play()
    scoring: Scoring = Scoring()
    ending: Ending = Ending()
    deck: Deck = Deck()
    decks: Mapping[int, Deck] = field(default_factory=lambda: MappingProxyType({}))


_UNRESTRICTED: Final = Play(
    opening_lead=OpeningLead.ELDEST,
    first_trick_points=FirstTrickPoints.ALLOWED,
    hearts_lead=HeartsLead.ANY_TIME,
)

_HONOURS: Final = {"J": 1, "Q": 2, "K": 3, "A": 4}

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        "standard": Preset("Hearts as most rule books print it; the shooter chooses."),
        "online": Preset(
            "The common online game: four seats, a moon adds to the others.",
            seats=(4,),
            play=Play(hearts_broken_by=BrokenBy.HEART),
            scoring=Scoring(moon=Moon.OTHERS_ADD),
        ),
        "microsoft": Preset(
            "As in the Microsoft game: only a heart breaks hearts, a moon adds to the others.",
            play=Play(hearts_broken_by=BrokenBy.HEART),
            scoring=Scoring(moon=Moon.OTHERS_ADD),
        ),
        "bicycle": Preset(
            "Standard, but a moon always adds to the others.",
            scoring=Scoring(moon=Moon.OTHERS_ADD),
        ),
        "pagat": Preset(
            "Only a heart breaks hearts; points may fall on the first trick.",
            play=Play(hearts_broken_by=BrokenBy.HEART, first_trick_points=FirstTrickPoints.ALLOWED),
        ),
        "omnibus": Preset(
            "The jack of diamonds takes ten points away.",
            scoring=Scoring(extra=MappingProxyType({card("JD"): -10})),
        ),
        "omnibus_bicycle": Preset(
            "The ten of diamonds takes ten points away; a slam of all fifteen subtracts 26.",
            scoring=Scoring(
                extra=MappingProxyType({card("TD"): -10}),
                moon=Moon.SELF_SUBTRACT,
                moon_points=26,
                moon_needs=MoonNeeds.COUNTERS,
                moon_absorbs_bonus=True,
            ),
        ),
        "spot": Preset(
            "Hearts count their rank, the queen of spades 25; to 500.",
            scoring=Scoring(hearts=HeartPoints.RANK, queen_of_spades=25),
            ending=Ending(target=500),
        ),
        "black_maria": Preset(
            "King and ace of spades count 10 and 7; pass right, no limits, no moon.",
            cycle=(Direction.RIGHT,),
            play=_UNRESTRICTED,
            scoring=Scoring(extra=MappingProxyType({card("KS"): 10, card("AS"): 7}), moon=Moon.OFF),
            decks=MappingProxyType({3: Deck(remove=cards("2C"))}),
        ),
        "plain": Preset(
            "Only hearts count; no pass, no limits, no moon.",
            cycle=(Direction.HOLD,),
            play=_UNRESTRICTED,
            scoring=Scoring(queen_of_spades=0, moon=Moon.OFF),
        ),
        "new_moon": Preset(
            "A moon subtracts from the shooter; taking every trick subtracts 52.",
            scoring=Scoring(moon=Moon.SELF_SUBTRACT, sun_points=52),
        ),
        "cancellation": Preset(
            "Two packs for up to eleven: equal cards in a trick cancel each other.",
            seats=tuple(SEATS_OF_PACKS[2]),
            usual_seats=6,
            deck=Deck(packs=2, leftover=Leftover.KITTY),
            cycle=(Direction.HOLD,),
            play=Play(opening_lead=OpeningLead.ELDEST, cancel_pairs=True),
        ),
        "kitty": Preset(
            "The full pack: what does not deal evenly is the winner's of the first trick.",
            seats=(3, 5, 6, 7),
            usual_seats=5,
            deck=Deck(remove=Removal.NONE, leftover=Leftover.KITTY),
        ),
        "reverse": Preset(
            "A points form of Reversis: honours of every suit count, all tricks are the moon.",
            seats=(4,),
            cycle=(Direction.HOLD,),
            play=_UNRESTRICTED,
            scoring=Scoring(
                hearts=MappingProxyType(_HONOURS),
                queen_of_spades=_HONOURS["Q"],
                extra=MappingProxyType(
                    {
                        card(rank + suit): points
                        for suit in "CDS"
                        for rank, points in _HONOURS.items()
                        if rank + suit != "QS"
                    }
                ),
                moon=Moon.OTHERS_ADD,
                moon_points=40,
                moon_needs=MoonNeeds.TRICKS,
            ),
            deck=Deck(remove=cards("TC TD TS TH")),
        ),
    }
)

DEFAULT_PRESET: Final = "standard"


def preset_rules(name: str, seats: int) -> Rules:
    """Return the rules of the preset *name* at a table of *seats*.

    Raises:
        KeyError: There is no such preset.
        RulesConflict: The preset is not played by as many.

    Source: docs/rules.md, section 4.
    """
    preset = PRESETS[name]
    if seats not in preset.seats:
        allowed = _seat_counts(preset.seats)
        msg = f"{name} is played by {allowed}, not {seats}."
        raise RulesConflict(msg, ("/preset", "/seats"))
    return Rules(
        preset=name,
        seats=seats,
        deck=preset.decks.get(seats, preset.deck),
        passing=Passing(cycle=usual_cycle(seats) if preset.cycle is None else preset.cycle),
        play=preset.play,
        scoring=preset.scoring,
        ending=preset.ending,
    )


def _seat_counts(seats: tuple[int, ...]) -> str:
    first, last = seats[0], seats[-1]
    if len(seats) > 1 and seats == tuple(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seats))
