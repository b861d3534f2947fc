"""Checking a game in Hearts Game Notation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from types import MappingProxyType
from typing import Final, NamedTuple, NoReturn, assert_never

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.bots import LEVELS
from engine.cards import CardSet, card
from engine.errors import CorruptLogError, RuleViolation
from engine.notation.errors import NotationError
from engine.notation.reader import Reading, read_game
from engine.notation.record import (
    NOTHING,
    POSITION,
    AbortLine,
    ControlLine,
    DealLine,
    Hand,
    KittyLine,
    Line,
    MoonLine,
    PassLine,
    ScoreLine,
    Start,
    TrickLine,
    VoidLine,
    deal_numbers,
)
from engine.notation.recorder import Eyes, Header, record_of
from engine.position import Position
from engine.rules import MOST_DEALS
from engine.seats import PerSeat, Seat
from engine.shuffle import NO_SEED, game_id_of
from engine.state import Lobby, State, TurnType, table_of, turn_of
from engine.verify.compare import line_findings, tag_findings
from engine.verify.copied import CopiedDeal
from engine.verify.report import Check, Finding, Report, report_of, unreadable
from engine.verify.rerun import Rerun, dealt_hands, sound_links

_ALL: Final = Eyes(everything=True)
_AFTER_A_STOP: Final = (Check.LEGALITY, Check.TRICK_WINNERS, Check.SCORES)


class _Stop(Exception):  # noqa: N818 - the end of the road, and not always an error
    """Nothing behind this line can be played again."""


class Verified(NamedTuple):
    """A *report*, and the *events* of the game that was played again for it.

    *reading* is what was read, None where the text cannot be read. *links* are those of it
    that belong to the commitment, by deal.
    """

    report: Report
    events: Sequence[e.Event]
    reading: Reading | None
    links: Mapping[int, str] = MappingProxyType({})


def verify_text(text: str) -> Report:
    """Return what is right and wrong with *text*, which should tell one game."""
    return verified_text(text).report


def verified_text(text: str) -> Verified:
    """Return the same with what it was found by."""
    try:
        reading = read_game(text)
    except NotationError as exc:
        finding = Finding(Check.SYNTAX, exc.code, exc.line, exc.column)
        return Verified(unreadable(finding), (), None)
    verification = _Verification(reading)
    report = verification.report()
    return Verified(report, verification.events, reading, verification.links)


class _Verification:
    """Plays the game of a text again, from what in it was decided by somebody."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._facts = reading.facts
        self._findings: list[Finding] = []
        self._in_the_game: list[Finding] = []
        self._of_tags: list[Finding] = []
        self._first = self._first_deal()
        self._numbers = tuple(deal_numbers(reading.record.lines, self._first))
        self.links = sound_links(self._opened(), self._facts.chain_commitment)
        self._given = dict(self._hands_without_link())
        self._rerun = Rerun(self.links, self._given)
        self._copied: CopiedDeal | None = None
        self._line = 0
        self._begun = 0
        self._trick: int | None = None

    @property
    def events(self) -> Sequence[e.Event]:
        return self._rerun.events

    def report(self) -> Report:
        self._check_commitment()
        self._check_seats()
        until = self._played_until()
        self._compare(until)
        # Results stand before the game, but follow from it.
        self._findings += sorted(self._in_the_game, key=lambda one: one.line)
        self._findings += self._of_tags
        return report_of(
            self._findings,
            self._skipped(until),
            seats=self._facts.seats,
            deals=len(self._deals()),
            events=len(self._rerun.events),
        )

    def _skipped(self, until: int | None) -> Iterator[Check]:
        if not self._facts.seeds:
            yield from (Check.COMMITMENT, Check.DEALS)
        if until is not None:
            yield from _AFTER_A_STOP

    def _first_deal(self) -> int:
        """Return the number of the first deal: that of a fork says what it goes on with."""
        deals = self._deals()
        is_fork = self._facts.start is not None and bool(deals)
        return min(deals[0].number, MOST_DEALS) if is_fork else 1

    def _deals(self) -> list[DealLine]:
        return [line for line in self._reading.record.lines if isinstance(line, DealLine)]

    def _opened(self) -> Mapping[int, str]:
        # Of links beyond the last deal it is said that there are too many.
        further = count(max(self._numbers, default=self._first - 1) + 1)
        return dict(zip(chain(self._numbers, further), self._facts.seeds, strict=False))

    @property
    def _deal(self) -> int | None:
        return self._numbers[self._begun - 1] if self._begun else None

    def _hands_without_link(self) -> Iterator[tuple[int, PerSeat[CardSet]]]:
        for number, deal in zip(self._numbers, self._deals(), strict=True):
            shown = [hand for hand in deal.hands if hand is not None]
            is_copied = self._facts.start is not None and number == self._first
            if (is_copied or number not in self.links) and len(shown) == len(deal.hands):
                hands = dealt_hands(self._facts.rules, shown)
                if hands is not None:
                    yield number, hands

    def _check_commitment(self) -> None:
        facts = self._facts
        if not facts.is_import and facts.game_id != game_id_of(facts.commitment):
            self._find_tag(Check.COMMITMENT, "wrong_game_id", "Game")
        if facts.start is not None and not facts.may_go_on:
            self._find_tag(Check.DEALS, "wrong_origin", "Origin")
        if len(self.links) < len(facts.seeds):
            self._find_tag(Check.COMMITMENT, "wrong_link", "Seeds")

    def _check_seats(self) -> None:
        facts = self._facts
        seeds = facts.client_seeds or (NO_SEED,) * facts.seats
        for seat, (level, seed) in enumerate(zip(facts.levels, seeds, strict=True)):
            if level is not None and level not in LEVELS:
                self._find_tag(Check.LEGALITY, "unknown_bot", f"Kind{seat}")
            if seed != NO_SEED and (level is not None or facts.seed_chain is not None):
                self._find_tag(Check.COMMITMENT, "wrong_client_seeds", "ClientSeeds")

    def _find_tag(self, check: Check, code: str, name: str) -> None:
        self._findings.append(Finding(check, code, self._reading.tag_places[name]))

    def _compare(self, until: int | None) -> None:
        if self._rerun.state is None:
            return
        tags = self._reading.record.tags
        header = Header(tags["Date"], tags["Site"])
        derived = record_of(table_of(self._rerun.state), self._rerun.events, _ALL, header)
        self._in_the_game += line_findings(self._reading, derived.lines, until)
        if until is None:
            self._of_tags += tag_findings(self._reading, derived)

    def _played_until(self) -> int | None:
        """Play, and return the index of the line at which that ends, None at the end of all."""
        index = 0
        try:
            if self._facts.start is None:
                self._set_up()
            for index, line in enumerate(self._reading.record.lines):
                self._line = self._reading.places[index]
                if not isinstance(line, DealLine):
                    self._check_begun()
                self._take(line)
            self._check_start()
        except _Stop:
            return index
        return None

    def _check_begun(self) -> None:
        if self._rerun.state is None and self._copied is None:
            # Nothing happens in a fork before the deal that it goes on with.
            self._refuse_start()

    def _check_start(self) -> None:
        if self._facts.start is not None and self._rerun.state is None:
            self._refuse_start()

    def _refuse_start(self) -> NoReturn:
        self._find_tag(Check.LEGALITY, "wrong_position", POSITION)
        raise _Stop

    def _set_up(self, position: Position | None = None) -> None:
        facts, line = self._facts, self._line
        self._line = self._reading.tag_places["Rules"]
        seats = tuple(
            c.HumanSeat() if level is None else c.BotSeat(level, name)
            for level, name in zip(facts.levels, facts.names, strict=True)
        )
        create = c.CreateGame(facts.rules, seats, facts.commitment, nonce="", key_id="")
        self._do(replace(create, position=position, seed_chain=facts.seed_chain))
        seeds = facts.client_seeds or (NO_SEED,) * facts.seats
        for seat, (level, name) in enumerate(zip(facts.levels, facts.names, strict=True)):
            if level is None and (facts.client_seeds or name != NOTHING):
                seed = None if seeds[seat] == NO_SEED else seeds[seat]
                self._do(c.ClaimSeat(seat, name, seed))
        if facts.client_seeds and isinstance(self._rerun.state, Lobby):
            self._do(c.StartGame())
        self._line = line

    def _take(self, line: Line) -> None:  # noqa: C901 - one case per kind of line
        match line:
            case DealLine():
                self._begin_deal()
            case PassLine():
                for seat, cards in line.passes:
                    self._do(c.PassCards(seat, _cards(cards), self._auto(seat)), seat)
            case TrickLine():
                self._trick = (self._trick or 0) + 1
                for code in line.cards:
                    seat = self._to_act(line.leader)
                    self._do(c.PlayCard(seat, card(code), self._auto(seat)), seat)
            case MoonLine():
                if self._waits_for_a_choice():
                    seat = line.seat
                    self._do(c.ChooseMoon(seat, line.choice, self._auto(seat)), seat)
            case ControlLine():
                self._do(self._hand_over(line), line.seat)
            case AbortLine(reason=reason):
                self._do(c.AbortGame(reason if reason in reasons.ABORT_REASONS else None))
            case VoidLine():
                self._void(line.reason)
            case KittyLine() | ScoreLine():
                pass  # said of the game, not done in it
            case other:
                assert_never(other)

    def _auto(self, seat: Seat) -> str | None:
        # The move of a player who may return would say that this has happened.
        players = table_of(self._state).players
        return c.TAKEOVER if seat < len(players) and players[seat].may_return else None

    def _begin_deal(self) -> None:
        self._begun, self._trick = self._begun + 1, None
        deal = self._numbers[self._begun - 1]
        start = self._facts.start
        if start is not None and self._rerun.state is None:
            self._begin_copied(start)
            return
        if deal in self.links or deal in self._given:
            return
        self._miss_hands()

    def _begin_copied(self, start: Start) -> None:
        if self._copied is not None:
            self._refuse_start()
        if self._first not in self._given:
            self._miss_hands()
        hands = self._given[self._first]
        self._copied = CopiedDeal(self._facts.rules, start, self._first, hands)
        self._go_on_if_whole(self._copied)

    def _go_on_if_whole(self, copied: CopiedDeal) -> None:
        if copied.is_whole:
            if copied.position is None:
                self._refuse_start()
            self._copied = None
            self._set_up(copied.position)

    def _miss_hands(self) -> NoReturn:
        if None not in self._deals()[self._begun - 1].hands:
            self._find(Check.DEALS, "not_the_deck")
        elif self._reading.record.tags["Termination"] != NOTHING:
            # A game that is over hides nothing.
            self._find(Check.DEALS, "unopened_deal")
        raise _Stop

    def _void(self, reason: str) -> None:
        if reason not in reasons.VOID_REASONS:
            self._find(Check.LEGALITY, "unknown_void")
            raise _Stop
        following = self._numbers[self._begun : self._begun + 1]
        is_cut = self._reading.record.tags["Termination"] == NOTHING
        # Where a game ends with it, no link was left.
        after = following[0] if following else (self._deal or 0) + 1 if is_cut else MOST_DEALS + 1
        self._do(c.VoidDeal(reason, after - (self._deal or 0) - 1))

    @property
    def _state(self) -> State:
        state = self._rerun.state if self._copied is None else self._copied.state
        assert state is not None, "lines follow on the table or on a deal"
        return state

    def _to_act(self, otherwise: Seat) -> Seat:
        turn = turn_of(self._state)
        return turn.seats[0] if turn is not None and turn.type is TurnType.PLAY else otherwise

    def _waits_for_a_choice(self) -> bool:
        turn = turn_of(self._state)
        return turn is not None and turn.type is TurnType.MOON

    def _hand_over(self, line: ControlLine) -> c.Command:
        match line.reason, line.level:
            case reasons.RELEASED, str(level) if level in LEVELS:
                return c.ReleaseSeat(line.seat, level)
            case reasons.KICKED, str(level) if level in LEVELS:
                return c.KickSeat(line.seat, level)
            case reasons.REISSUED, None:
                return c.ReissueSeatToken(line.seat)
            case reasons.HANDED_OVER | reasons.TIMEOUT, str(level) if level in LEVELS:
                # What the timer does is told of a running deal, not of time.
                return c.HandOver(line.seat, level, line.reason)
            case reasons.RETURNED, None:
                return c.TakeBack(line.seat)
            case _:
                self._find(Check.LEGALITY, "unknown_control", line.seat)
                raise _Stop

    def _do(self, command: c.Command, seat: Seat | None = None) -> None:
        copied = self._copied
        try:
            if copied is None:
                self._rerun.do(command)
            elif isinstance(command, c.Move):
                copied.do(command)
                self._go_on_if_whole(copied)
            else:
                self._refuse_start()
        except RuleViolation as no:
            self._find(Check.LEGALITY, no.code, seat)
            raise _Stop from no
        except CorruptLogError as exc:
            self._find(Check.LEGALITY, "cannot_follow", seat)
            raise _Stop from exc

    def _find(self, check: Check, code: str, seat: Seat | None = None) -> None:
        self._in_the_game.append(
            Finding(check, code, self._line, deal=self._deal, trick=self._trick, seat=seat)
        )


def _cards(cards: Hand) -> tuple[CardSet, ...]:
    if cards is None:
        raise _Stop
    return tuple(card(code) for code in cards)
