"""A text is believed where it agrees with what its own moves lead to, and nowhere else."""

import random
import re
from itertools import islice

import pytest

from engine import commands as c
from engine import events as e
from engine.decide import decide
from engine.evolve import fold
from engine.notation.recorder import Eyes, record_of
from engine.notation.writer import write_game
from engine.shuffle import chain
from engine.state import table_of
from engine.verify.report import Check, Verdict
from engine.verify.text import verify_text
from tests.engine.notation.records import ALL, HEADER, TABLES, events_of, text_of
from tests.engine.verify.corruptions import corrupted
from tests.games import play_commands
from tests.table import rules

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}
PASSED = dict.fromkeys(Check, Verdict.PASS)
UNPROVED = PASSED | dict.fromkeys([Check.COMMITMENT, Check.DEALS], Verdict.SKIPPED)


@pytest.fixture(scope="module")
def text():
    return text_of(events_of("omnibus", 4, 1, ending=TWO_DEALS))


@pytest.fixture(scope="module")
def with_kitty():
    return text_of(events_of("kitty", 5, 1, ending=ONE_DEAL))


def changed(text, pattern, new):
    found, times = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
    assert times == 1
    assert found != text
    return found


def line_of(text, pattern, nth=0):
    return [n for n, line in enumerate(text.split("\n"), 1) if re.search(pattern, line)][nth]


def error(text):
    """Return the first error of *text* as check, code, line, deal, trick and seat."""
    report = verify_text(text)
    assert not report.is_valid
    found = report.first_error
    assert report.checks[found.check] is Verdict.FAIL
    return found.check, found.code, found.line, found.deal, found.trick, found.seat


# What is right


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_game_that_was_played_is_right(name, seats):
    events = events_of(name, seats, seed=seats, ending=TWO_DEALS)

    report = verify_text(text_of(events))

    assert report.is_valid
    assert report.checks == PASSED
    assert (report.seats, report.deals) == (seats, 2)


@pytest.mark.parametrize("reveal", ["deal_end", "game_end"])
def test_a_game_is_right_whenever_its_deals_were_opened(reveal):
    report = verify_text(text_of(events_of("standard", 4, 1, reveal=reveal, ending=TWO_DEALS)))

    assert report.checks == PASSED


def test_a_game_without_links_is_right_but_not_proved(text):
    unproved = changed(text, r"^\[Seeds .*", '[Seeds "-"]')

    report = verify_text(unproved)

    assert report.is_valid
    assert report.checks == UNPROVED


def test_what_may_be_missing_is_not_missed(with_kitty):
    bare = re.sub(r"( =\S+$)|(^[KS].*\n)", "", with_kitty, flags=re.MULTILINE)

    assert bare.count("\n") == with_kitty.count("\n") - 2
    assert verify_text(bare).checks == PASSED


def backwards(text):
    """Return *text* with the cards of each pass in the opposite order."""
    return re.sub(r"(?<=\d:)\S\S(-\S\S)+", lambda cards: "-".join(cards[0].split("-")[::-1]), text)


def test_the_order_in_a_pass_says_nothing_but_with_scatter(text):
    scattered = text_of(
        events_of("standard", 4, 1, passing={"cycle": ["scatter"]}, ending=ONE_DEAL)
    )

    assert backwards(text) != text
    assert verify_text(backwards(text)).checks == PASSED
    assert not verify_text(backwards(scattered)).is_valid


def test_an_import_has_another_id(text):
    other = changed(text, r'^\[Game ".*', f'[Game "{"0" * 32}"]')

    assert error(other)[:2] == (Check.COMMITMENT, "wrong_game_id")
    origin = changed(other, r'^\[Origin ".*', f'[Origin "import {"1" * 32}"]')
    assert verify_text(origin).checks == PASSED


def test_a_game_that_was_stopped_anywhere_is_right():
    events, checked = [], 0
    for _, caused in play_commands(rules("kitty", 5, ending=ONE_DEAL), random.Random(3)):
        if isinstance(caused[-1], e.GameFinished):
            break
        events += caused

        assert verify_text(text_of(stopped(events, 3))).is_valid
        checked += 1
    assert checked > 50


def test_a_game_that_goes_on_is_right_as_far_as_it_shows():
    events = []
    for _, caused in play_commands(rules("kitty", 5, ending=TWO_DEALS), random.Random(3)):
        events += caused
        scored = [n for n, one in enumerate(events, 1) if isinstance(one, e.DealScored)]
        revealed = len(events) if isinstance(caused[-1], e.GameFinished) else (scored or [0])[-1]
        for eyes in (Eyes(revealed=revealed), Eyes(1, revealed=revealed), Eyes(everything=True)):
            assert verify_text(text_of(events, eyes)).is_valid
        if scored:
            table = table_of(fold(None, events))
            cut = write_game(record_of(table, events[:revealed], ALL, HEADER))
            assert verify_text(cut).is_valid


def stopped(events, seed):
    """Return *events* of a game that began with *seed*, and what stopping it adds."""
    links = [link.hex() for link in chain(random.Random(seed).randbytes(32))]
    return [*events, *decide(fold(None, events), c.AbortGame(), links.__getitem__)]


def test_what_is_hidden_is_not_judged():
    events = []
    for _, caused in play_commands(rules("standard", 4), random.Random(3)):
        events += caused
        if sum(isinstance(one, e.CardPlayed) for one in events) == 10:
            break
    hidden = text_of(events, Eyes())

    report = verify_text(hidden)

    assert report.is_valid
    assert {check for check, verdict in report.checks.items() if verdict is Verdict.PASS} == {
        Check.SYNTAX
    }


def test_a_lobby_is_right():
    events = events_of("standard", 4, 1)

    for end in (1, 2, 3):
        report = verify_text(text_of(events[:end]))
        assert report.is_valid
        assert (report.deals, report.seats) == (0, 4)


# What is wrong


@pytest.mark.parametrize(
    ("pattern", "new", "check", "code"),
    [
        (r'^\[Game "....', '[Game "0000', Check.COMMITMENT, "wrong_game_id"),
        (r'^\[Commitment "(.{40})....', r'[Commitment "\g<1>0000', Check.COMMITMENT, "wrong_link"),
        (r'^\[Seeds "....', '[Seeds "0000', Check.COMMITMENT, "wrong_link"),
        (r'^\[Seeds "\S+ ', '[Seeds "', Check.COMMITMENT, "wrong_link"),
        (r'^\[Seeds "(\S+) .*', r'[Seeds "\1"]', Check.COMMITMENT, "wrong_seeds"),
        (r'^\[Seeds "(\S+) (.*)"]', r'[Seeds "\1 \2 \2"]', Check.COMMITMENT, "wrong_link"),
        (r'^\[Removed ".*', '[Removed "2C"]', Check.DEALS, "wrong_removed"),
        (r'^\[Kind1 ".*', '[Kind1 "bot:clever"]', Check.LEGALITY, "unknown_bot"),
        (r'^\[Kind0 ".*', '[Kind0 "bot:easy"]', Check.COMMITMENT, "wrong_client_seeds"),
        (r'^\[Result "', '[Result "1', Check.SCORES, "wrong_result"),
        (r'^\[Winner ".*', '[Winner "-"]', Check.SCORES, "wrong_winner"),
        (r'^\[Termination ".*', '[Termination "-"]', Check.SCORES, "wrong_termination"),
        (
            r'^\[Termination ".*',
            '[Termination "too_long"]',
            Check.SCORES,
            "wrong_termination",
        ),
    ],
)
def test_a_tag_that_does_not_follow_is_found(text, pattern, new, check, code):
    wrong = changed(text, pattern, new)

    assert error(wrong)[:2] == (check, code)
    where = {"wrong_link": "Seeds", "wrong_client_seeds": "ClientSeeds"}
    assert error(wrong)[2] == line_of(text, rf"^\[{where[code]} " if code in where else pattern)


def test_other_client_seeds_lead_to_other_hands(text):
    wrong = changed(text, r'^\[ClientSeeds "....', '[ClientSeeds "0000')

    assert error(wrong)[:4] == (Check.DEALS, "wrong_hands", line_of(text, "^D1 "), 1)


def test_other_rules_lead_to_another_game(text):
    for old, new in [("extra=JD:-10", "extra=JD:-9"), ("hearts=one", "hearts=rank")]:
        assert error(text.replace(old, new))[:2] == (Check.TRICK_WINNERS, "wrong_trick_points")


def test_hands_are_those_of_the_links(text):
    hands = re.search(r"^D2 (\S+) (\S+)", text, re.MULTILINE)

    swapped = changed(text, r"^D2 (\S+) (\S+)", f"D2 {hands[2]} {hands[1]}")

    assert error(swapped)[1:] == ("wrong_hands", line_of(text, "^D2 "), 2, None, 0)


def test_hands_without_links_are_a_deal_of_the_deck(text):
    unproved = changed(text, r"^\[Seeds .*", '[Seeds "-"]')
    hand = re.search(r"^D1 (\S+)", unproved, re.MULTILINE)[1]

    twice = changed(unproved, r"^D1 \S+ \S+", f"D1 {hand} {hand}")

    assert error(twice)[1:4] == ("not_the_deck", line_of(text, "^D1 "), 1)


def test_deals_and_tricks_are_counted(text):
    assert error(changed(text, "^D2 ", "D3 "))[1:4] == (
        "wrong_deal_number",
        line_of(text, "^D2 "),
        2,
    )
    assert error(changed(text, "^7[.] ", "8. "))[1:5] == (
        "wrong_trick_number",
        line_of(text, "^7[.] "),
        1,
        7,
    )


def test_the_leader_is_who_took_the_last_trick(text):
    leader = int(re.search("^5[.] (.):", text, re.MULTILINE)[1])

    wrong = changed(text, "^5[.] .:", f"5. {(leader + 1) % 4}:")

    assert error(wrong)[1:] == ("wrong_leader", line_of(text, "^5[.] "), 1, 5, leader)


def test_a_card_that_may_not_be_played_is_named_by_the_rule(text):
    found = re.search("^2[.] (.):(..) (..)", text, re.MULTILINE)
    suits = {code: code[1] for code in re.findall("[2-9TJQKA][CDSH]", text)}
    other = next(code for code in suits if suits[code] != found[2][1])

    wrong = changed(text, "^2[.] (.):(..) (..)", f"2. {found[1]}:{found[2]} {other}")

    check, code, line, deal, trick, seat = error(wrong)
    assert check is Check.LEGALITY
    assert code in {"must_follow_suit", "card_not_in_hand"}
    assert (line, deal, trick) == (line_of(text, "^2[.] "), 1, 2)
    assert seat == (int(found[1]) + 1) % 4


@pytest.mark.parametrize(
    ("pattern", "new", "code"),
    [
        (r"^P left (\S)(\S*) ", r"P left ", "wrong_phase"),
        (r"^P left (\S\S\S\S)-\S\S", r"P left \1", "wrong_pass_count"),
        (r"^P left (\S):(\S\S)-\S\S", r"P left \1:\2-\2", "duplicate_cards"),
        (r"^P left (\S+) \S+", r"P left \1 \1", "not_your_turn"),
        (r"^P left ", "P right ", "wrong_pass"),
        (r"^P left .*\n", "", "wrong_phase"),
        (r"^D2 .*\n", "", "unexpected_line"),
        (r"^D1 ", "V rewind\nD1 ", "unknown_void"),
        (r"^D1 ", "V store_restored\nD1 ", "unexpected_line"),
        (r"^2[.] ", "K0\n2. ", "unexpected_line"),
        (r"^2[.] ", "M0 others_add\n2. ", "unexpected_line"),
        (r"^2[.] ", "C1 bot:easy released\n2. ", "seat_is_bot"),
        (r"^2[.] ", "C0 bot:wild released\n2. ", "unknown_control"),
        (r"^2[.] ", "C0 bot:easy asleep\n2. ", "unknown_control"),
        (r"^2[.] ", "C0 human released\n2. ", "unknown_control"),
        (r"^2[.] ", "C0 human reissued\n2. ", "unexpected_line"),
        (r"^2[.] ", "C0 bot:easy kicked\nC0 bot:easy released\n2. ", "cannot_follow"),
        (r"^2[.] ", "X host\n2. ", "game_not_active"),
        (r"^\*$", "X host\n*", "game_not_active"),
        (r"^\*$", "1. 0:2C\n*", "game_not_active"),
        (r"^S .*\n\*$", "1. 0:2C\n*", "game_not_active"),
    ],
)
def test_a_line_that_cannot_stand_there_is_found(text, pattern, new, code):
    assert error(changed(text, pattern, new))[1] == code


def test_a_text_that_was_cut_is_not_whole(text):
    lines = text.split("\n")
    for end in range(line_of(text, "^D1 "), len(lines) - 3):
        cut = "\n".join([*lines[:end], "*", ""])

        assert not verify_text(cut).is_valid
        unended = re.sub('(?m)^\\[(Result|Winner|Termination) ".*', r'[\1 "-"]', cut)
        assert verify_text(unended).first_error.code in {"wrong_seeds", "missing_line"}


def test_a_reason_to_stop_is_one_of_ours():
    begun = play_commands(rules("standard", 4), random.Random(3))
    events = [event for _, caused in islice(begun, 9) for event in caused]
    text = text_of(stopped(events, 3))

    assert verify_text(text).is_valid
    assert error(changed(text, "^X host", "X weather"))[1] == "wrong_line"


@pytest.mark.parametrize(
    ("pattern", "new", "code"),
    [
        (r"^(2[.] .* =)(\d)(\S*)$", lambda m: f"{m[1]}{(int(m[2]) + 1) % 5}{m[3]}", "wrong_winner"),
        (r"^(2[.] .* =\d)(\S*)$", r"\1+99", "wrong_trick_points"),
        (r"^(2[.] .* =)(\S*)$", r"\1-", "wrong_winner"),
        (r"^K(\d)", lambda m: f"K{(int(m[1]) + 1) % 5}", "wrong_kitty"),
        (r"^(D1 .* \+ )(\S+)", r"\1A.-.-.-", "wrong_kitty_cards"),
        (r"^S (\d+)", r"S 9\1", "wrong_points"),
        (r"^(S .* = )(\d+)", r"\g<1>9\2", "wrong_totals"),
    ],
)
def test_what_is_redundant_is_compared(with_kitty, pattern, new, code):
    found = error(changed(with_kitty, pattern, new))

    assert (found[1], found[2]) == (code, line_of(with_kitty, pattern))


def test_a_moon_goes_the_way_it_was_chosen():
    for seed in range(200):
        text = text_of(events_of("standard", 7, seed * 2 + 1, ending=ONE_DEAL))
        if "\nM" in text:
            break
    swap = {"others_add": "self_subtract", "self_subtract": "others_add"}
    other = changed(text, "^(M. )(.*)$", lambda found: found[1] + swap[found[2]])

    assert verify_text(text).checks == PASSED
    assert error(other)[1] == "wrong_points"
    assert error(changed(text, "^M.*\n", ""))[1] in {"unexpected_line", "missing_line"}


def test_a_text_that_cannot_be_read_says_where():
    report = verify_text("[HGN]")

    assert (report.first_error.code, report.first_error.line) == ("bad_tag", 1)
    assert report.first_error.column == 1
    assert report.checks[Check.SYNTAX] is Verdict.FAIL
    assert set(report.checks.values()) == {Verdict.FAIL, Verdict.SKIPPED}
    assert (report.seats, report.deals, report.events) == (None, 0, 0)


# Whatever is changed


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_no_changed_word_passes(name, seats):
    rng = random.Random(f"{name} {seats}")
    text = text_of(events_of(name, seats, seed=seats + 1, ending=TWO_DEALS))
    for _ in range(8):
        change = corrupted(text, rng)
        report = verify_text(change.text)

        proved = report.checks[Check.COMMITMENT] is Verdict.PASS
        assert not (report.is_valid and proved) or change.is_harmless(text), change[1:]
