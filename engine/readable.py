"""Rules as plain values, the form that people and clients read and write.

Shapes are those of the rules object of the HTTP contract: groups of options, cards as
codes, ``auto`` and None where an option has no number. Derived values ride along in
``derived``; reading them back ignores them.

Source: docs/rules.md, section 3.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from engine.cards import NO_CARDS, Card, card, code_of, codes_of, union
from engine.rules import (
    RULES_VERSION,
    BrokenBy,
    Deck,
    Direction,
    Ending,
    FirstTrickPoints,
    HeartPoints,
    HeartsAndQueen,
    HeartsLead,
    KittyTo,
    Leftover,
    Moon,
    MoonNeeds,
    OpeningLead,
    Passing,
    Play,
    QueenLimit,
    Reach,
    Removal,
    Reveal,
    Rules,
    Scoring,
    Tie,
)

Plain: TypeAlias = dict[str, Any]


def rules_data(rules: Rules) -> Plain:
    """Return every effective option of *rules*, and what follows from them."""
    return {
        "preset": rules.preset,
        "version": rules.version,
        "seats": rules.seats,
        "reveal": rules.reveal.value,
        "deck": _deck(rules.deck),
        "passing": {
            "count": rules.passing.count,
            "cycle": [direction.value for direction in rules.passing.cycle],
        },
        "play": _play(rules.play),
        "scoring": _scoring(rules.scoring),
        "ending": _ending(rules.ending),
        "derived": derived_data(rules),
    }


def derived_data(rules: Rules) -> Plain:
    """Return what follows from the options of *rules*."""
    return {
        "deck_size": len(rules.deck_order),
        "hand_size": rules.hand_size,
        "kitty_size": rules.kitty_size,
        "removed": codes_of(rules.removed),
        "opening_card": card_data(rules.opening_card),
        "penalty_points": rules.penalty_points,
    }


def rules_from(data: Mapping[str, Any]) -> Rules:
    """Return the rules that *data*, complete but for ``derived`` and ``version``, spells out.

    Without a version they are read as rules are read now. What older rules do not name is
    read as its default.

    Raises:
        KeyError: An option is missing.
        ValueError: A value is none of its option's.
    """
    return Rules(
        preset=data["preset"],
        seats=data["seats"],
        deck=_deck_from(data["deck"]),
        passing=Passing(
            count=data["passing"]["count"],
            cycle=tuple(Direction(word) for word in data["passing"]["cycle"]),
        ),
        play=_play_from(data["play"]),
        scoring=_scoring_from(data["scoring"]),
        ending=_ending_from(data["ending"]),
        reveal=Reveal(data["reveal"]),
        version=data.get("version", RULES_VERSION),
    )


def card_data(one: Card | None) -> str | None:
    """Return the code of *one*, or None for no card."""
    return None if one is None else code_of(one)


def _deck(deck: Deck) -> Plain:
    return {
        "packs": deck.packs,
        "remove": _removal(deck.remove),
        "leftover": deck.leftover.value,
        "kitty_to": deck.kitty_to.value,
    }


def _deck_from(data: Mapping[str, Any]) -> Deck:
    usual = Deck()
    return Deck(
        remove=_removal_from(data["remove"]),
        packs=data.get("packs", usual.packs),
        leftover=Leftover(data.get("leftover", usual.leftover)),
        kitty_to=KittyTo(data.get("kitty_to", usual.kitty_to)),
    )


def _removal(remove: Removal | int) -> str | list[str]:
    return remove.value if isinstance(remove, Removal) else codes_of(remove)


def _removal_from(data: str | list[str]) -> Removal | int:
    if isinstance(data, str):
        return Removal(data)
    return union(card(code) for code in data) if data else NO_CARDS


def _play(play: Play) -> Plain:
    return {
        "opening_lead": play.opening_lead.value,
        "first_trick_points": play.first_trick_points.value,
        "hearts_lead": play.hearts_lead.value,
        "hearts_broken_by": play.hearts_broken_by.value,
        "queen": play.queen.value,
        "hearts_and_queen": play.hearts_and_queen.value,
        "cancel_pairs": play.cancel_pairs,
    }


def _play_from(data: Mapping[str, Any]) -> Play:
    return Play(
        opening_lead=OpeningLead(data["opening_lead"]),
        first_trick_points=FirstTrickPoints(data["first_trick_points"]),
        hearts_lead=HeartsLead(data["hearts_lead"]),
        hearts_broken_by=BrokenBy(data["hearts_broken_by"]),
        queen=QueenLimit(data["queen"]),
        hearts_and_queen=HeartsAndQueen(data["hearts_and_queen"]),
        cancel_pairs=data.get("cancel_pairs", Play().cancel_pairs),
    )


def _scoring(scoring: Scoring) -> Plain:
    hearts = scoring.hearts
    return {
        "hearts": hearts.value if isinstance(hearts, HeartPoints) else dict(hearts),
        "queen_of_spades": scoring.queen_of_spades,
        "extra": {code_of(one): points for one, points in sorted(scoring.extra.items())},
        "no_trick": scoring.no_trick,
        "moon": scoring.moon.value,
        "moon_points": "auto" if scoring.moon_points is None else scoring.moon_points,
        "moon_needs": scoring.moon_needs.value,
        "moon_absorbs_bonus": scoring.moon_absorbs_bonus,
        "sun_points": scoring.sun_points,
    }


def _scoring_from(data: Mapping[str, Any]) -> Scoring:
    hearts, moon_points = data["hearts"], data["moon_points"]
    return Scoring(
        hearts=HeartPoints(hearts) if isinstance(hearts, str) else dict(hearts),
        queen_of_spades=data["queen_of_spades"],
        extra={card(code): points for code, points in data["extra"].items()},
        no_trick=data["no_trick"],
        moon=Moon(data["moon"]),
        moon_points=None if moon_points == "auto" else moon_points,
        moon_needs=MoonNeeds(data["moon_needs"]),
        moon_absorbs_bonus=data["moon_absorbs_bonus"],
        sun_points=data["sun_points"],
    )


def _ending(ending: Ending) -> Plain:
    return {
        "target": ending.target,
        "deals": ending.deals,
        "reach": ending.reach.value,
        "tie": ending.tie.value,
    }


def _ending_from(data: Mapping[str, Any]) -> Ending:
    return Ending(
        target=data["target"],
        deals=data["deals"],
        reach=Reach(data["reach"]),
        tie=Tie(data["tie"]),
    )
