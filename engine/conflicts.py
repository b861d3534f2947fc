"""Options that cannot stand together.

Source: docs/rules.md, section 3, "Settled details".
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.errors import RulesConflict
from engine.passing import pass_size
from engine.rules import MOST_DEALS, SEATS_OF_PACKS, Direction, Leftover, Moon, Rules

MOST_POINTS: Final = 1_000
MOST_TARGET: Final = 100_000
LONGEST_CYCLE: Final = 12
_SEATS_FOR_SECOND_NEIGHBOUR: Final = 5


class _Conflict(NamedTuple):
    message: str
    fields: tuple[str, ...]


def check_rules(rules: Rules) -> None:
    """Refuse *rules* that contradict themselves or exceed their bounds.

    Raises:
        RulesConflict: The first contradiction found, with the options of both sides.
    """
    for conflict in _conflicts(rules):
        raise RulesConflict(*conflict)


def _conflicts(rules: Rules) -> Iterator[_Conflict]:
    yield from _seats(rules)
    yield from _bounds(rules)
    yield from _deck(rules)
    yield from _play(rules)
    yield from _passing(rules)
    yield from _scoring(rules)
    yield from _ending(rules)


def _seats(rules: Rules) -> Iterator[_Conflict]:
    packs = rules.deck.packs
    if packs not in SEATS_OF_PACKS:
        yield _Conflict(f"/deck/packs is out of bounds: {packs}.", ("/deck/packs",))
    seats = SEATS_OF_PACKS[packs]
    if rules.seats not in seats:
        words = "One pack seats" if packs == 1 else "Two packs seat"
        yield _Conflict(
            f"{words} {seats[0]} to {seats[-1]}, not {rules.seats}.", ("/deck/packs", "/seats")
        )


def _bounds(rules: Rules) -> Iterator[_Conflict]:
    scoring, ending = rules.scoring, rules.ending
    points = {
        "/scoring/queen_of_spades": (scoring.queen_of_spades, 0, MOST_POINTS),
        "/scoring/no_trick": (scoring.no_trick, -MOST_POINTS, 0),
        "/scoring/moon_points": (scoring.moon_points, -MOST_POINTS, MOST_POINTS),
        "/scoring/sun_points": (scoring.sun_points, -MOST_POINTS, MOST_POINTS),
        "/ending/target": (ending.target, 1, MOST_TARGET),
        "/ending/deals": (ending.deals, 1, MOST_DEALS),
        "/passing/count": (rules.passing.count, 0, None),
        "/passing/cycle": (len(rules.passing.cycle), 1, LONGEST_CYCLE),
    }
    for name, (value, least, most) in points.items():
        if value is not None and (value < least or (most is not None and value > most)):
            yield _Conflict(f"{name} is out of bounds: {value}.", (name,))
    for name, values in _point_maps(rules):
        for value in values:
            if abs(value) > MOST_POINTS:
                yield _Conflict(f"{name} is out of bounds: {value}.", (name,))


def _point_maps(rules: Rules) -> Iterator[tuple[str, list[int]]]:
    yield "/scoring/extra", list(rules.scoring.extra.values())
    if not isinstance(rules.scoring.hearts, str):
        yield "/scoring/hearts", list(rules.scoring.hearts.values())


def _deck(rules: Rules) -> Iterator[_Conflict]:
    size = len(rules.deck_order)
    if rules.kitty_size and rules.deck.leftover is Leftover.NONE:
        yield _Conflict(
            f"{size} cards do not deal evenly to {rules.seats} seats, and there is no kitty.",
            ("/deck/leftover", "/deck/remove", "/seats"),
        )
    if size < rules.seats:
        yield _Conflict("There is not a card for every seat.", ("/deck/remove", "/seats"))


def _play(rules: Rules) -> Iterator[_Conflict]:
    if rules.play.cancel_pairs and rules.deck.packs == 1:
        yield _Conflict("One pack has no pairs to cancel.", ("/play/cancel_pairs", "/deck/packs"))


def _passing(rules: Rules) -> Iterator[_Conflict]:
    for direction in rules.passing.cycle:
        yield from _direction(rules, direction)


def _direction(rules: Rules, direction: Direction) -> Iterator[_Conflict]:
    seats, sides = rules.seats, ("/passing/cycle", "/seats")
    if direction is Direction.ACROSS and seats % 2:
        yield _Conflict(f"Nobody sits across at a table of {seats}.", sides)
    second = direction in {Direction.LEFT2, Direction.RIGHT2}
    if second and seats < _SEATS_FOR_SECOND_NEIGHBOUR:
        yield _Conflict(f"{direction} needs {_SEATS_FOR_SECOND_NEIGHBOUR} seats.", sides)
    size = pass_size(rules, direction)
    if size > rules.hand_size:
        other = "/passing/cycle" if direction is Direction.SCATTER else "/passing/count"
        yield _Conflict(
            f"A pass of {size} cards does not fit a hand of {rules.hand_size}.",
            (other, "/seats", "/deck/remove"),
        )


def _scoring(rules: Rules) -> Iterator[_Conflict]:
    if rules.scoring.sun_points is not None and rules.scoring.moon is Moon.OFF:
        yield _Conflict(
            "A sun follows the direction of the moon, and the moon is off.",
            ("/scoring/sun_points", "/scoring/moon"),
        )


def _ending(rules: Rules) -> Iterator[_Conflict]:
    if rules.ending.target is None and rules.ending.deals is None:
        yield _Conflict(
            "A game ends at a target or after a number of deals.",
            ("/ending/target", "/ending/deals"),
        )
