"""From events to a record, through the eyes of a viewer.

Everything comes from what `engine.disclosure` lets the viewer read of each event, so a
record cannot show more than the log does. What is open to all by now is shown whole, in
every view.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from engine import events as e
from engine import reasons
from engine.cards import codes_of
from engine.commands import Origin
from engine.disclosure import Parts, Reader, own_part, private_part, public_part
from engine.notation.record import (
    ABORTED,
    FORMAT_VERSION,
    NOTHING,
    POSITION,
    AbortLine,
    Codes,
    ControlLine,
    DealLine,
    Hand,
    KittyLine,
    Line,
    MoonLine,
    Outcome,
    PassLine,
    Record,
    ScoreLine,
    Start,
    TrickLine,
    VoidLine,
    tag_names,
)
from engine.notation.rules_text import rules_text
from engine.notation.writer import kind_text
from engine.position_data import TABLE
from engine.readable import Plain
from engine.rules import Direction
from engine.scoring import MoonChoice
from engine.seats import PerSeat, Seat
from engine.shuffle import SCHEME
from engine.state import Table


class Eyes(NamedTuple):
    """Through whose eyes a game is told.

    *reader* sees a seat's own part, *everything* all cards at once; the events up to the
    one numbered *revealed* are open to all.
    """

    reader: Reader = None
    everything: bool = False
    revealed: int = 0

    def parts(self, seq: int, event: e.Event) -> Parts:
        """Return what they see of the private parts of *event*, the one numbered *seq*."""
        everything = self.everything or seq <= self.revealed
        return own_part(private_part(event), self.reader, everything=everything)


class Header(NamedTuple):
    """What a record says that no event tells: *date* as in 2026-11-29.

    *versions* are those of the levels of bots, as far as each has made its moves with one alone.
    """

    date: str = NOTHING
    site: str = NOTHING
    versions: Mapping[str, int] = MappingProxyType({})


def record_of(table: Table, events: Iterable[e.Event], eyes: Eyes, header: Header) -> Record:
    """Return what *eyes* see of the game of *table*, whose *events* come from the first on."""
    scribe = _Scribe(header.versions)
    for seq, event in enumerate(events, 1):
        scribe.note(event, eyes.parts(seq, event))
    scribe.close()
    return Record(_tags(table, scribe, header), tuple(scribe.lines))


def _tags(table: Table, scribe: "_Scribe", header: Header) -> dict[str, str]:
    rules, players = table.rules, table.players
    names = [player.name or NOTHING for player in players]
    levels = [player.level for player in players]
    kinds = [kind_text(level, header.versions.get(level or NOTHING)) for level in levels]
    values = [
        FORMAT_VERSION,
        table.game_id,
        header.date,
        header.site,
        str(rules.seats),
        *names,
        *kinds,
        rules.preset,
        rules_text(rules),
        str(rules.version),
        _listed(codes_of(rules.removed)),
        SCHEME,
        table.commitment,
        table.deals_commitment or NOTHING,
        _listed(table.client_seeds),
        _listed(scribe.seeds),
        origin_text(table.origin),
        _listed(map(str, scribe.totals)),
        _listed(map(str, scribe.winners)),
        scribe.termination,
    ]
    tags = dict(zip(tag_names(rules.seats), values, strict=True))
    return tags if scribe.start is None else {**tags, POSITION: _start_text(scribe.start)}


def _start_text(start: Start) -> str:
    return " ".join(map(str, (start.moves, start.scored, *start.totals)))


def origin_text(origin: Origin | None) -> str:
    """Return where a game comes from, as its tag says it."""
    if origin is None:
        return NOTHING
    words = (origin.kind, origin.game_id, origin.version)
    return " ".join(str(word) for word in words if word is not None)


def _listed(values: Iterable[str]) -> str:
    return " ".join(values) or NOTHING


class _Scribe:
    """Writes down what happens, a line when all of it is known."""

    def __init__(self, versions: Mapping[str, int]) -> None:
        self.lines: list[Line] = []
        self.seeds: list[str] = []
        self.totals: list[int] = []
        self.winners: list[Seat] = []
        self.termination = NOTHING
        self.start: Start | None = None
        self._versions = versions
        self._deal = 0
        self._direction: Direction | None = None
        self._passes: list[tuple[Seat, Hand]] = []
        self._plays: list[Plain] = []

    def note(  # noqa: C901, PLR0912 - one case per event
        self, event: e.Event, parts: Parts
    ) -> None:
        """Take in *event*, of whose private parts *parts* may be told."""
        data = public_part(event)
        match event:
            case e.CardPlayed():
                self._plays.append(data)
            case e.TrickCompleted():
                self._end_trick(Outcome(data["winner"], data["points"]))
            case e.DealDealt():
                self._begin_deal(data, parts)
            case e.PositionSet(position=position):
                self.start = Start(position.moves, data["scored"], tuple(data["totals"]))
                self._go_on(data, parts)
            case e.CardsPassed():
                self._passes.append((data["seat"], _own(parts, data["seat"])))
            case e.PassCompleted():
                self._end_pass()
            case e.KittyTaken():
                self._take_kitty(data["seat"], _own(parts, data["seat"]))
            case e.DealScored():
                self._score(data)
            case e.DealVoided():
                self._void(data)
            case e.ControlChanged() if event.reason != reasons.UNCHANGED:
                self._hand_over(data)
            case e.GameFinished():
                self._open(data)
                self.totals, self.winners = data["totals"], data["winners"]
                self.termination = data["reason"]
            case e.GameAborted():
                self._open(data)
                self.close()
                self.lines.append(AbortLine(data["reason"]))
                self.termination = ABORTED
            case _:
                pass  # told by the tags, or by another event

    def close(self) -> None:
        """Write down what was not ended."""
        if self._passes:
            self._end_pass()
        if self._plays:
            self._end_trick(None)

    def _hand_over(self, data: Plain) -> None:
        reason: str = data["reason"]
        version = self._versions.get(data["level"])
        reason = _CALLED.get(reason, reason)
        self.lines.append(ControlLine(data["seat"], data["level"], reason, version))

    def _begin_deal(self, data: Plain, parts: Parts) -> None:
        kitty: Hand = ()
        if data["kitty_size"]:
            kitty = tuple(parts[TABLE]["kitty"]) if TABLE in parts else None
        self._write_deal(data, _hands(data, parts, "hand"), kitty)

    def _write_deal(self, data: Plain, hands: PerSeat[Hand], kitty: Hand) -> None:
        self._deal = len(self.lines)
        self.lines.append(DealLine(data["deal"], hands, kitty))
        self._direction = None if data["pass"] is None else Direction(data["pass"])
        if self._direction is Direction.HOLD:
            self.lines.append(PassLine(Direction.HOLD))

    def _go_on(self, data: Plain, parts: Parts) -> None:
        """Write down what was played of a deal before this game."""
        kitty = data["kitty"]
        hands = _hands(data, parts, "dealt")
        self._write_deal(data, hands, _copied_kitty(kitty, parts))
        for seat in data["passed"]:
            own = parts.get(str(seat))
            self._passes.append((seat, None if own is None else tuple(own["passed"])))
        if len(self._passes) == len(hands):
            self._end_pass()
        for trick in data["tricks"]:
            self._plays = _plays(trick["trick"], trick["leader"], trick["cards"])
            self._end_trick(Outcome(trick["winner"], trick["points"]))
            if trick["trick"] == kitty["trick"]:
                self.lines.append(KittyLine(kitty["taken_by"]))
        if data["leader"] is not None:
            self._plays = _plays(len(data["tricks"]) + 1, data["leader"], data["trick"])

    def _end_pass(self) -> None:
        assert self._direction is not None, "nobody passes in a deal without direction"
        self.lines.append(PassLine(self._direction, tuple(self._passes)))
        self._passes = []

    def _end_trick(self, outcome: Outcome | None) -> None:
        plays, self._plays = self._plays, []
        cards: Codes = tuple(play["card"] for play in plays)
        self.lines.append(TrickLine(plays[0]["trick"], plays[0]["seat"], cards, outcome))

    def _take_kitty(self, seat: Seat, kitty: Hand) -> None:
        dealt = self.lines[self._deal]
        if kitty is not None and isinstance(dealt, DealLine):
            self.lines[self._deal] = replace(dealt, kitty=kitty)
        self.lines.append(KittyLine(seat))

    def _score(self, data: Plain) -> None:
        moon = data["moon"]
        if moon is not None:
            self.lines.append(MoonLine(moon["seat"], MoonChoice(moon["choice"])))
        self.lines.append(ScoreLine(tuple(data["points"]), tuple(data["totals"])))
        if data["reveal"] is not None:
            self.seeds.append(data["reveal"]["seed"])

    def _void(self, data: Plain) -> None:
        self.close()
        self.lines.append(VoidLine(data["reason"]))
        if data["reveal"] is not None:
            self.seeds.append(data["reveal"]["seed"])

    def _open(self, data: Plain) -> None:
        self.seeds += [deal["seed"] for deal in data["reveals"]]


def _hands(data: Plain, parts: Parts, name: str) -> PerSeat[Hand]:
    own = [parts.get(str(seat)) for seat in range(len(data["hand_sizes"]))]
    return tuple(None if part is None else tuple(part[name]) for part in own)


def _copied_kitty(kitty: Plain, parts: Parts) -> Hand:
    owner = TABLE if kitty["taken_by"] is None else str(kitty["taken_by"])
    if not kitty["size"]:
        return ()
    return tuple(parts[owner]["kitty"]) if owner in parts else None


def _plays(number: int, leader: Seat, cards: Sequence[str]) -> list[Plain]:
    """Return *cards* as they were played; of all but the first it is plain by whom."""
    return [{"trick": number, "seat": leader, "card": card} for card in cards]


# Who reads a record does not see what came with which command.
_CALLED: Final = {reasons.PLAYED: reasons.RETURNED, reasons.IDLE: reasons.TIMEOUT}


def _own(parts: Parts, seat: Seat) -> Hand:
    own = parts.get(str(seat))
    return None if own is None else tuple(own["cards"])
