"""The reader forgives form, and says of everything else where it stands and what is missing."""

import re

import pytest

from engine.notation.errors import NotationError
from engine.notation.reader import MOST_CHARACTERS, MOST_LINES, read_game, read_games
from engine.notation.record import Outcome, TrickLine, VoidLine
from engine.notation.writer import write_game
from tests.engine.notation.records import events_of, text_of

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}


@pytest.fixture(scope="module")
def text():
    return text_of(events_of("kitty", 5, 1, ending=ONE_DEAL))


def changed(text, pattern, new):
    """Return *text* with the first match of *pattern* replaced."""
    found, times = re.subn(pattern, new, text, count=1, flags=re.MULTILINE)
    assert times == 1
    return found


def refusal(text):
    with pytest.raises(NotationError) as caught:
        read_game(text)
    return caught.value


def line_of(text, pattern):
    """Return the number of the first line in which *pattern* stands."""
    return next(n for n, line in enumerate(text.split("\n"), 1) if re.search(pattern, line))


# Forgiven


@pytest.mark.parametrize(
    ("pattern", "new"),
    [
        ("\n", "\r\n"),
        ("\n", " \t\n"),
        ("\n", "\n\n"),
        ("^D1 ", "  D1\t "),
        (r"^1\. ", "1.    "),
        (r"^\*$", " * "),
        (r'^\[Seats "', ' [ Seats   "'),
        (r'^\[Removed "-', '[Removed "  - '),
        ("deck.leftover=", " deck.leftover = "),
        ("^D1", "% a comment\nD1"),
        ("^D1", "{a comment}\nD1"),
        (r"^\[Date", "% a comment\n[Date"),
        (r"\*\n\Z", "*"),
    ],
)
def test_form_is_forgiven(text, pattern, new):
    assert write_game(read_game(changed(text, pattern, new)).record) == text


def test_the_case_of_cards_is_forgiven(text):
    head, body = text.split("\n\n")
    body = re.sub(r"[2-9TJQKA][CDSH]\b", lambda card: card[0].lower(), body)
    body = re.sub("^D.*", lambda deal: "D" + deal[0][1:].lower(), body, flags=re.MULTILINE)

    assert "qs" in body
    assert write_game(read_game(f"{head}\n\n{body}").record) == text


@pytest.mark.parametrize(("arrow", "word"), [("<", "left"), (">", "right"), ("^", "across")])
def test_arrows_stand_for_directions(text, arrow, word):
    with_arrow = changed(text, "^P left", f"P {arrow}")

    read = read_game(with_arrow).record

    assert write_game(read) == changed(text, "^P left", f"P {word}")


def test_a_trick_need_not_say_who_took_it(text):
    read = read_game(re.sub(r" =\d\S*$", "", text, flags=re.MULTILINE)).record

    assert {line.outcome for line in read.lines if isinstance(line, TrickLine)} == {None}


def test_a_trick_can_be_taken_by_nobody(text):
    read = read_game(changed(text, r"^(1\. .*) =.*", r"\1 =-")).record

    (first, *_) = [line for line in read.lines if isinstance(line, TrickLine)]
    assert first.outcome == Outcome(None, 0)
    assert "=-\n" in write_game(read)


def test_a_hand_may_have_a_card_twice(text):
    with_twins = changed(text, r"^D1 \S+", "D1 22.-.QQ.A")

    read = read_game(with_twins).record

    assert read.lines[0].hands[0] == ("2C", "2C", "QS", "QS", "AH")
    assert write_game(read) == with_twins


def test_a_deal_can_be_void(text):
    read = read_game(changed(text, "^S ", "V rewind\nS ")).record

    assert VoidLine("rewind") in read.lines
    assert "\nV rewind\n" in write_game(read)


def test_games_follow_on_each_other(text):
    assert [write_game(one.record) for one in read_games(f"{text}\n\n{text}")] == [text, text]
    assert list(read_games("\n% nothing\n")) == []


# Refused


@pytest.mark.parametrize(
    ("pattern", "new", "code", "column"),
    [
        ("^D1 ", "D0 ", "bad_number", 2),
        ("^D1 ", "D01 ", "bad_number", 2),
        ("^D1 ", "D12345 ", "bad_number", 2),
        ("^D1 ", "D ", "bad_number", 2),
        (r"^D1 \S+", "D1 23.4", "bad_hand", 4),
        (r"^D1 \S+", "D1 -.32.-.-", "bad_hand", 6),
        (r"^D1 \S+", "D1 -..-.-", "bad_hand", 6),
        (r"^D1 \S+", "D1 -.-.1.-", "bad_hand", 8),
        (r"^D1 .*", "D1 ? ? ? ?", "line_too_short", 11),
        (r"^D1 .*", "D1 ? ? ? ? ? ?", "bad_mark", 14),
        (r"^D1 .*", "D1 ? ? ? ? ? + ? ?", "line_too_long", 18),
        (r"^D1 .*", "D1 ? ? ? ? ? + -.-.-.-", "bad_hand", 16),
        ("^P left", "P up", "bad_direction", 3),
        ("^P left", "Pleft", "bad_line", 1),
        ("^P left.*", "P", "line_too_short", 2),
        (r"^P left \S+", "P left 5:QS", "bad_seat", 8),
        (r"^P left \S+", "P left 4", "bad_pass", 8),
        (r"^P left \S+", "P left 4:QS-1S", "bad_card", 13),
        (r"^P left \S+", "P left 4:", "bad_card", 10),
        (r"^P left .*", "P left 0:? 1:? 2:? 3:? 4:? 0:?", "line_too_long", 28),
        (r"^1\. \S+", "1. 5:2C", "bad_seat", 4),
        (r"^1\. \S+", "1. 2C", "bad_lead", 4),
        (r"^1\. \S+", "1. 0:2X", "bad_card", 6),
        (r"^1\. .*", "1.", "line_too_short", 3),
        (r"^1\. .*", "1. 0:2C 3C 4C 5C 6C 7C", "bad_outcome", 21),
        (r"^1\. ", "1 ", "bad_line", 1),
        (r"^1\. ", "1.0", "bad_line", 1),
        (r"^1\. ", "Z. ", "bad_number", 1),
        (r"^(1\. .{16}) .*", r"\1 =", "bad_seat", 22),
        (r"^(1\. .{16}) .*", r"\1 =5", "bad_seat", 22),
        (r"^(1\. .{16}) .*", r"\1 =1+", "bad_points", 23),
        (r"^(1\. .{16}) .*", r"\1 =1+0", "bad_points", 23),
        (r"^(1\. .{16}) .*", r"\1 =-1", "bad_seat", 22),
        (r"^(1\. .{16}) .*", r"\1 =-+1", "bad_seat", 22),
        (r"^K\d", "K", "bad_seat", 2),
        (r"^K\d", "K0 0", "line_too_long", 4),
        ("^S ", "M0 both\nS ", "bad_choice", 4),
        ("^S ", "M0\nS ", "line_too_short", 3),
        ("^S .*", "S 1 2 3", "line_too_short", 8),
        ("^S .*", "S 1 2 3 4 = 1", "bad_points", 11),
        ("^S .*", "S 1 2 3 4 5 1", "bad_mark", 13),
        ("^S .*", "S 1 2 3 4 05 = 1", "bad_points", 11),
        ("^S .*", f"S {'9' * 5000} ", "bad_points", 3),
        ("^S ", "V \nS ", "line_too_short", 3),
        ("^S ", "V No\nS ", "bad_reason", 3),
        ("^S ", "C0 robot left\nS ", "bad_kind", 4),
        ("^S ", "C0 bot: left\nS ", "bad_kind", 4),
        ("^S ", "C0 human\nS ", "line_too_short", 9),
        ("^S ", "X\nS ", "line_too_short", 2),
    ],
)
def test_a_line_that_cannot_be_read_says_where_and_why(text, pattern, new, code, column):
    broken = changed(text, pattern, new)

    no = refusal(broken)

    where = next(
        n
        for n, pair in enumerate(zip(broken.split("\n"), text.split("\n"), strict=False), 1)
        if pair[0] != pair[1]
    )
    assert (no.code, no.line, no.column) == (code, where, column)
    assert str(no) == f"line {no.line}, column {no.column}: expected {no.expected}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HGN", "2"),
        ("Game", "0" * 31),
        ("Date", "29.11.2026"),
        ("Date", "2026-02-29"),
        ("Date", "2026-13-01"),
        ("Date", "2026-11-00"),
        ("Date", "1969-12-31"),
        ("Date", "2200-01-01"),
        ("Seats", "2"),
        ("Seats", "12"),
        ("Kind0", "robot"),
        ("Kind0", "bot:Easy"),
        ("Kind0", "bot:easy/"),
        ("Kind0", "bot:easy/0"),
        ("Kind0", "bot:easy/1 "),
        ("Kind0", "human/1"),
        ("Preset", "nothing"),
        ("Preset", "online"),
        ("Rules", "-"),
        ("RulesVersion", "2"),
        ("Scheme", "-"),
        ("Commitment", "A" * 64),
        ("DealsCommitment", "A" * 64),
        ("DealsCommitment", "- -"),
        ("DealsCommitment", ""),
        ("ClientSeeds", "- -"),
        ("ClientSeeds", "x - - - -"),
        ("Seeds", ""),
        ("Seeds", "0"),
        ("Seeds", " ".join(["0" * 64] * 257)),
        ("Origin", "import"),
        ("Result", "1 2 3 4"),
        ("Result", "1 2 3 4 x"),
        ("Winner", "0 5"),
        ("Winner", "x"),
        ("Termination", "host"),
    ],
)
def test_a_tag_that_says_nothing_is_refused(text, name, value):
    broken = changed(text, rf'^\[{name} ".*', f'[{name} "{value}"]')

    no = refusal(broken)

    assert (no.code, no.line) == ("bad_tag_value", line_of(text, rf"^\[{name} "))
    assert no.column == len(name) + 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("passing.count=3", "passing.count=03"),
        ("passing.count=3", "passing.count=+3"),
        ("passing.count=3", "passing.count=99999999"),
        ("passing.count=3", "passing.count="),
        ("passing.cycle=left,right", "passing.cycle=left,,right"),
        ("passing.cycle=left,right", "passing.cycle=-"),
        ("deck.remove=none", "deck.remove=3C,2C"),
        ("deck.remove=none", "deck.remove=2C,2C"),
        ("deck.remove=none", "deck.remove=2X"),
        ("deck.remove=none", "deck.remove="),
        ("deck.leftover=kitty", "deck.leftover=cat"),
        ("scoring.hearts=one", "scoring.hearts=Z:"),
        ("scoring.hearts=one", "scoring.hearts=2:1,2:1"),
        ("scoring.extra=-", "scoring.extra=JD"),
        ("scoring.extra=-", "scoring.extra=QS:1,JD:1"),
        ("moon_absorbs_bonus=false", "moon_absorbs_bonus=no"),
        ("ending.deals=1", "ending.deals=x"),
        ("ending.target=-", "ending.target=null"),
        ("ending.target=-;", ""),
        ("ending.target=-;", "ending.target=-;ending.target=-;"),
        ("reveal=deal_end", "reveal=never"),
        (";reveal=deal_end", ""),
        ("reveal=deal_end", "reveal=deal_end;more=1"),
    ],
)
def test_rules_are_read_exactly(text, old, new):
    assert old in text

    no = refusal(text.replace(old, new, 1))

    assert (no.code, no.line) == ("bad_tag_value", line_of(text, r"^\[Rules "))


@pytest.mark.parametrize(
    ("pattern", "new", "code"),
    [
        (r"^\[Site .*\n", "", "missing_tag"),
        (r"^\[Kind4 .*\n", "", "missing_tag"),
        (r"^\[Date", '[Event "x"]\n[Date', "unknown_tag"),
        (r"^\[Preset", '[Seat5 "x"]\n[Preset', "unknown_tag"),
        (r"^\[Date", '[Date "-"]\n[Date', "repeated_tag"),
        (r'^\[Site ".*', '[Site "]', "bad_tag"),
        (r'^\[Site ".*', "[Site]", "bad_tag"),
        (r'^\[Site ".*', r'[Site "\\x"]', "bad_tag"),
        (r"^\*$", "", "missing_end"),
        (r"^\*$", "*\n1. 0:2C", "missing_tag"),
    ],
)
def test_a_game_has_all_of_its_parts_once(text, pattern, new, code):
    assert refusal(changed(text, pattern, new)).code == code


def test_one_game_is_expected():
    assert refusal("").code == "missing_tag"
    assert refusal("\n\n").code == "missing_tag"


def test_a_second_game_is_one_too_many(text):
    assert refusal(text + text).code == "more_than_one_game"


def test_a_text_has_an_end(text):
    assert refusal(text + "\n" * MOST_LINES).code == "text_too_long"
    assert refusal(text + " " * (MOST_CHARACTERS + 1)).code == "text_too_long"
