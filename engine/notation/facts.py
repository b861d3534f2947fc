"""What the tags of a game say, as values."""

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.commands import SeedChain
from engine.errors import RulesConflict
from engine.notation.errors import NotationError
from engine.notation.record import (
    ABORTED,
    BOT_PREFIX,
    FORMAT_VERSION,
    HGN,
    HUMAN,
    NOTHING,
    POSITION,
    Start,
    tag_names,
)
from engine.notation.rules_text import rules_of_text
from engine.notation.words import POINTS, Kind, kind_in
from engine.presets import preset_rules
from engine.rules import MOST_DEALS, RULES_VERSION, Rules
from engine.scoring import Reason
from engine.seats import FEWEST_SEATS, MOST_SEATS, PerSeat
from engine.shuffle import NO_SEED, SCHEME

_HASH: Final = re.compile("[0-9a-f]{64}", re.ASCII)
_GAME_ID: Final = re.compile("[0-9a-f]{32}", re.ASCII)
_DATE: Final = re.compile("-|[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_YEARS: Final = range(1970, 2200)
_ORIGIN: Final = re.compile("-|fork [0-9a-f]{32} [1-9][0-9]{0,8}|(import|rematch) [0-9a-f]{32}")
_MOVES: Final = re.compile("0|[1-9][0-9]{0,3}", re.ASCII)
_SCORED: Final = re.compile("0|[1-9][0-9]{0,2}", re.ASCII)
_ENDS: Final = frozenset({NOTHING, ABORTED, *(reason.value for reason in Reason)})


@dataclass(frozen=True, slots=True)
class Facts:
    """What tags say; *client_seeds* has none before the start.

    *deals_commitment* is that of the chain behind a seeded game, None in all others. *seeds* are
    the links that are opened, one for each deal from the first. *start* is that of a fork, None
    in a game that began with its first deal.
    """

    game_id: str
    rules: Rules
    names: PerSeat[str]
    kinds: PerSeat[Kind]
    commitment: str
    deals_commitment: str | None
    client_seeds: tuple[str, ...]
    seeds: tuple[str, ...]
    origin: str
    termination: str
    start: Start | None

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.rules.seats

    @property
    def levels(self) -> PerSeat[str | None]:
        """The level of the bot in each seat, None for a person's."""
        return tuple(kind.level for kind in self.kinds)

    @property
    def seed_chain(self) -> SeedChain | None:
        """The chain behind a seeded game, whose seed is not known."""
        return None if self.deals_commitment is None else SeedChain(self.deals_commitment)

    @property
    def chain_commitment(self) -> str:
        """The commitment of the chain that the deals come from."""
        return self.deals_commitment or self.commitment

    @property
    def is_import(self) -> bool:
        """Whether the game has another id than its commitment says."""
        return self.origin.startswith("import ")

    @property
    def may_go_on(self) -> bool:
        """Whether the game can have begun in another, itself or as the game that it was."""
        return self.origin.startswith(("import ", "fork "))


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag as it stands in a text."""

    value: str
    line: int
    column: int


def facts_of(tags: Mapping[str, Tag], line: int) -> Facts:
    """Return what *tags* say; *line* is where a missing tag is missed.

    Raises:
        NotationError: A tag is missing, unknown, or says nothing that it could say.
    """
    return _TagReader(tags, line).facts()


def _is_day(year: int, month: int, day: int) -> bool:
    known = year in _YEARS and month in range(1, 13)
    return known and day in range(1, monthrange(year, month)[1] + 1)


class _TagReader:
    def __init__(self, tags: Mapping[str, Tag], line: int) -> None:
        self._tags = tags
        self._line = line

    def facts(self) -> Facts:
        self._one_of(HGN, [FORMAT_VERSION])
        seats = int(self._one_of("Seats", [str(n) for n in range(FEWEST_SEATS, MOST_SEATS + 1)]))
        self._check_names(seats)
        self._one_of("Scheme", [SCHEME])
        self._one_of("RulesVersion", [str(RULES_VERSION)])
        self._check_date()
        self._check_result(seats)
        return Facts(
            game_id=self._fits("Game", _GAME_ID, "32 hex digits"),
            rules=self._rules(seats),
            names=tuple(self._value(f"Seat{seat}") for seat in range(seats)),
            kinds=tuple(self._kind(f"Kind{seat}") for seat in range(seats)),
            commitment=self._fits("Commitment", _HASH, "64 hex digits"),
            deals_commitment=self._deals_commitment(),
            client_seeds=self._client_seeds(seats),
            seeds=self._seeds(),
            origin=self._fits("Origin", _ORIGIN, "an origin such as `import` and a game, or -"),
            termination=self._one_of("Termination", sorted(_ENDS)),
            start=self._start(seats) if POSITION in self._tags else None,
        )

    def _check_names(self, seats: int) -> None:
        names = tag_names(seats)
        for name, tag in self._tags.items():
            if name not in names and name != POSITION:
                expected = f"a tag of a game of {seats} seats"
                raise NotationError("unknown_tag", tag.line, 1, expected)
        for name in names:
            self._value(name)

    def _value(self, name: str) -> str:
        if name not in self._tags:
            raise NotationError("missing_tag", self._line, 1, f"the tag {name}")
        return self._tags[name].value

    def _refuse(self, name: str, expected: str) -> NotationError:
        tag = self._tags[name]
        return NotationError("bad_tag_value", tag.line, tag.column, expected)

    def _one_of(self, name: str, values: list[str]) -> str:
        value = self._value(name)
        if value not in values:
            raise self._refuse(name, f"one of {', '.join(values)}")
        return value

    def _fits(self, name: str, pattern: re.Pattern[str], expected: str) -> str:
        value = self._value(name)
        if not pattern.fullmatch(value):
            raise self._refuse(name, expected)
        return value

    def _check_date(self) -> None:
        expected = "a date such as 2026-11-29, or -"
        value = self._fits("Date", _DATE, expected)
        if value != NOTHING and not _is_day(*map(int, value.split("-"))):
            raise self._refuse("Date", expected)

    def _check_result(self, seats: int) -> None:
        totals, winners = self._words("Result"), self._words("Winner")
        if totals and (len(totals) != seats or not all(map(POINTS.fullmatch, totals))):
            raise self._refuse("Result", "the total of each seat, or -")
        if not set(winners) <= set(map(str, range(seats))):
            raise self._refuse("Winner", "the seats that have won, or -")

    def _words(self, name: str) -> list[str]:
        """Return the words of a list, none where it is empty."""
        words = self._value(name).split()
        if not words:
            raise self._refuse(name, "something, or -")
        return [] if words == [NOTHING] else words

    def _rules(self, seats: int) -> Rules:
        preset = self._value("Preset")
        try:
            preset_rules(preset, seats)
        except (KeyError, RulesConflict):
            raise self._refuse("Preset", f"a preset for {seats} seats") from None
        try:
            return rules_of_text("".join(self._value("Rules").split()), preset, seats)
        except (LookupError, ValueError, RulesConflict):
            # Which option it is, the text does not say; the reader of rules knows no columns.
            raise self._refuse("Rules", "every option of the rules, with its value") from None

    def _kind(self, name: str) -> Kind:
        kind = kind_in(self._value(name))
        if kind is None:
            raise self._refuse(name, f"`{HUMAN}` or `{BOT_PREFIX}` and a level")
        return kind

    def _deals_commitment(self) -> str | None:
        words = self._words("DealsCommitment")
        return self._fits("DealsCommitment", _HASH, "64 hex digits, or -") if words else None

    def _start(self, seats: int) -> Start:
        moves, scored, *totals = [*self._words(POSITION), "", ""]
        totals = totals[:-2]
        patterns = [(_MOVES, moves), (_SCORED, scored), *((POINTS, total) for total in totals)]
        if len(totals) != seats or not all(one.fullmatch(word) for one, word in patterns):
            expected = "how many moves were copied, how many deals scored, and each seat's total"
            raise self._refuse(POSITION, expected)
        return Start(int(moves), int(scored), tuple(map(int, totals)))

    def _client_seeds(self, seats: int) -> tuple[str, ...]:
        seeds = self._words("ClientSeeds")
        if not seeds:
            return ()
        fits = len(seeds) == seats and all(one == NO_SEED or _HASH.fullmatch(one) for one in seeds)
        if not fits:
            raise self._refuse("ClientSeeds", "a client seed or - for each seat, or - alone")
        return tuple(seeds)

    def _seeds(self) -> tuple[str, ...]:
        seeds = self._words("Seeds")
        if len(seeds) > MOST_DEALS or not all(map(_HASH.fullmatch, seeds)):
            raise self._refuse("Seeds", "a link of 64 hex digits for each deal, or -")
        return tuple(seeds)
