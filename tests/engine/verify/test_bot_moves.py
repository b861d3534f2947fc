"""Every move of a bot comes out again, and every other one is told from it."""

from dataclasses import replace
from itertools import cycle, islice

import pytest

from engine import events as e
from engine.bots import LEVELS, fallback_move
from engine.cards import each
from engine.clocks import Clock
from engine.playing import legal_plays
from engine.state import Playing, TurnType, situation
from engine.verify.bot_moves import Comparison, Mover, bot_moves, movers_in
from tests.engine.bots.bot_games import BY_RULES, decisions, links_of, opening, short
from tests.table import rules

MOVES = (e.CardsPassed, e.CardPlayed, e.MoonChosen)
MOONS = rules(scoring={"hearts": {}}, ending={"target": None, "deals": 2, "tie": "share"})


class Log:
    """A game of bots as its log has it."""

    def __init__(self, rules, *levels):
        self.levels = list(islice(cycle(levels), rules.seats))
        self.links = dict(enumerate(links_of(0)))
        self.moves = list(decisions(rules, *levels))
        self.events = opening(rules, self.levels, self.links.__getitem__)
        self.events += [event for one in self.moves for event in one.events]

    def movers(self, **versions):
        """Return who made which event; *versions* are other ones than those there are."""
        now = {level: LEVELS[level].version for level in LEVELS} | versions
        levels = [
            self.levels[event.seat] if isinstance(event, MOVES) else None for event in self.events
        ]
        return [None if level is None else Mover(level, now[level]) for level in levels]

    def judged(self, **versions):
        return list(bot_moves(self.events, self.movers(**versions), self.links))


TABLES = {
    "kitty": short("kitty", 5, 1),
    "scatter": rules(seats=5, passing={"cycle": ["scatter"]}, ending={"deals": 1}),
    "two packs": short("cancellation", 8, 2),
    "moons": MOONS,
    "seven": short("omnibus", 7, 2),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_move_comes_out_again(name):
    log = Log(TABLES[name], *BY_RULES)

    found = log.judged()

    assert len(found) == len(log.moves)
    assert {move.comparison for move in found} == {Comparison.AGREES}
    assert {move.mover.level for move in found} == set(BY_RULES)


def test_so_does_that_of_a_level_that_searches():
    found = Log(short("standard", 4, 1), "hard", "medium", "expert", "random").judged()

    assert {move.comparison for move in found} == {Comparison.AGREES}


def test_each_kind_of_move_says_where_it_was_made():
    found = Log(MOONS, "medium").judged()

    assert {(move.phase, bool(move.trick)) for move in found} == {
        (TurnType.PASS, False),
        (TurnType.PLAY, True),
        (TurnType.MOON, False),
    }


def with_another_card(log):
    """Return the last events of *log*, up to a card that was exchanged for another legal one."""
    for at, decision in enumerate(log.moves):
        if isinstance(decision.state, Playing) and at > 20:
            seat, card = decision.move.seat, decision.move.card
            others = legal_plays(situation(decision.state, seat)) & ~card
            if others:
                place = log.events.index(decision.events[0])
                other = next(each(others))
                changed = replace(log.events[place], card=other)
                return [*log.events[:place], changed], changed
    raise AssertionError("nobody had a choice")


def test_a_card_changed_for_another_legal_one_is_found():
    log = Log(short("standard", 4, 1), "medium")
    log.events, changed = with_another_card(log)

    *others, last = log.judged()

    assert {move.comparison for move in others} == {Comparison.AGREES}
    assert last.comparison is Comparison.DIFFERS
    assert (last.deal, last.trick, last.seat) == (changed.deal, changed.trick, changed.seat)
    assert last.said != last.again


def marked(log, auto):
    log.events = [
        replace(event, auto=auto) if isinstance(event, MOVES) else event for event in log.events
    ]
    return log


def test_a_fallback_has_no_choice():
    found = list(marked(Log(MOONS, "easy"), "fallback").judged())

    assert {move.comparison for move in found} == {Comparison.FALLBACK, Comparison.DIFFERS}
    for move in found:
        assert (move.comparison is Comparison.FALLBACK) is (move.said == move.again)


def test_time_that_runs_out_without_a_clock_is_whose_move_it_was():
    log = marked(Log(MOONS, "easy"), "timeout")

    assert {move.mover.level for move in log.judged()} == {"easy"}


def test_the_move_of_a_stand_in_is():
    (only,) = {move.comparison for move in marked(Log(MOONS, "easy"), "takeover").judged()}

    assert only is Comparison.AGREES


def of_the_clock(level):
    """Return how moves that the clock had *level* make compare, with the level that did."""
    log = marked(Log(MOONS, "easy"), "timeout")
    log.events[0] = replace(log.events[0], clock=Clock(10, 10, 10, level))
    return list(bot_moves(log.events, [None] * len(log.events), log.links))


def test_what_the_clock_moved_names_no_version_and_may_agree_all_the_same():
    found = of_the_clock("easy")

    assert {move.mover for move in found} == {Mover("easy")}
    # A moon goes as the option `safety` says, whatever the level chooses.
    assert {move.comparison for move in found if move.phase is not TurnType.MOON} == {
        Comparison.AGREES
    }


def test_what_the_clock_moved_otherwise_cannot_be_told():
    found = of_the_clock("random")

    assert {move.comparison for move in found} == {Comparison.AGREES, Comparison.TIMEOUT}
    for move in found:
        assert (move.comparison is Comparison.AGREES) is (move.said == move.again)


def test_a_level_that_the_clock_had_and_is_not_here_cannot_be_told():
    found = of_the_clock("grandmaster")

    others = [move for move in found if move.phase is not TurnType.MOON]
    assert {(move.comparison, move.again) for move in others} == {(Comparison.TIMEOUT, None)}


def test_another_version_is_named_and_not_made_again():
    found = Log(MOONS, "easy", "medium").judged(easy=LEVELS["easy"].version + 1)

    assert {(move.mover.level, move.comparison, move.again is None) for move in found} == {
        ("easy", Comparison.OTHER_VERSION, True),
        ("medium", Comparison.AGREES, False),
    }


def test_a_level_that_is_not_here_is_not_made_again():
    log = Log(MOONS, "easy")
    movers = [mover and Mover("grandmaster", 1) for mover in log.movers()]

    found = list(bot_moves(log.events, movers, log.links))

    assert {move.comparison for move in found} == {Comparison.UNKNOWN_LEVEL}


def test_a_deal_whose_link_is_not_open_is_not_made_again():
    log = Log(MOONS, "easy")
    del log.links[2]

    found = log.judged()

    assert {(move.deal, move.comparison) for move in found} == {
        (1, Comparison.AGREES),
        (2, Comparison.NOT_OPENED),
    }


def test_where_no_version_is_named_the_move_is_made_and_not_judged():
    log = Log(MOONS, "easy", "medium")

    found = list(bot_moves(log.events, movers_in(log.events, {}), log.links))

    assert {move.comparison for move in found} == {Comparison.NO_VERSION}
    assert [move.said for move in found] == [move.again for move in found]
    assert {move.mover for move in found} == {Mover("easy"), Mover("medium")}


def test_who_moves_follows_from_the_table_with_the_versions_that_are_named():
    log = Log(MOONS, "easy", "medium")

    assert movers_in(log.events, {"easy": 7, "medium": 1}) == log.movers(easy=7, medium=1)


@pytest.mark.parametrize(
    ("is_marked", "wanted"), [(True, Comparison.DIFFERS), (False, Comparison.PERHAPS_FALLBACK)]
)
def test_what_looks_like_a_fallback_may_be_one_where_none_is_marked(is_marked, wanted):
    log = Log(short("standard", 4, 1), "medium")
    first = log.moves[0]
    other = fallback_move(first.view)
    assert set(other.cards) != set(first.move.cards)
    place = log.events.index(first.events[0])
    log.events[place:] = [replace(log.events[place], cards=other.cards)]

    (found,) = bot_moves(log.events, log.movers(), log.links, is_marked=is_marked)

    assert found.comparison is wanted


def test_what_people_do_is_nobody_s_to_check():
    log = Log(MOONS, "easy")

    assert list(bot_moves(log.events, [None] * len(log.events), log.links)) == []
