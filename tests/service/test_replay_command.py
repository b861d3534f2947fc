import io
import json
import random
import sys

import pytest

from service.cli import main
from service.log_check import verify_log
from service.replay_command import PROMPT, first_deal, pages_of, record_in, step_through
from service.schemas.responses import PUBLIC
from service.sources import UnfitFileError
from tests.engine.notation.records import events_of, record, text_of
from tests.faults.log_files import log_file, with_hash
from tests.forks import ORIGIN, fork_of
from tests.table import rules

THREE_DEALS = {"target": None, "deals": 3, "tie": "share"}


@pytest.fixture(scope="module")
def pages():
    return pages_of(record(events_of("kitty", 5, 1, ending=THREE_DEALS)))


def seen(pages, *answers, first=1):
    """Return the numbers of the pages that are shown while these answers are given."""
    shown, given = [], iter(answers)

    def ask(prompt):
        assert prompt == PROMPT
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    step_through(pages, first, ask, lambda page: shown.append(pages.index(page) + 1))
    return shown


def test_each_deal_has_a_page(pages):
    assert len(pages) == 3
    for number, page in enumerate(pages, 1):
        assert page.splitlines()[0].endswith(f"kitty, deal {number} of 3")
        assert page.count("takes the kitty") == 1
        assert "  pass " in page
    assert [" won: deals played" in page for page in pages] == [False, False, True]


def test_suits_stand_under_each_other_however_long_they_are():
    for page in pages_of(record(events_of("cancellation", 6, 1, ending=THREE_DEALS))):
        hands = [line for line in page.splitlines() if " S " in line and " H " in line]

        assert len(hands) in {6, 7}  # the kitty has a line where there is one
        assert max(map(len, hands[0].split("  "))) > 10
        for suit in (" C ", " D ", " S ", " H "):
            assert len({line.index(suit) for line in hands}) == 1


def test_a_trick_shows_who_led_and_who_took_it():
    text = (
        text_of(events_of("omnibus", 4, 1, ending=THREE_DEALS))
        .replace('"Easy Bot"', '"Bot"')
        .split("\n\n")[0]
    )
    game = f"{text}\n\n1. 2:2C QC 5C KC =1+13\n2. 1:3D 4S\n*\n"
    deal = game.replace("\n\n1.", "\n\nD1 ? ? ? ?\n1.")

    (page,) = pages_of(record_in("game", deal.encode()))

    lines = page.splitlines()
    assert "  trick  0 Ana  1 Bot  2 Bot  3 Dag" in lines
    assert "      1    5C     KC*   >2C     QC    1 Bot +13" in lines
    assert "      2          >3D     4S" in lines


def test_one_steps_forward_and_back(pages):
    assert seen(pages, "", "n", "") == [1, 2, 3]
    assert seen(pages, "", "b", "b", "q") == [1, 2, 1, 1]
    assert seen(pages, "3", "1", "99", "0", "Q") == [1, 3, 1, 3, 1]
    assert seen(pages, "what", "9" * 5000, "q") == [1, 1, 1]
    assert seen(pages) == [1]


def test_the_deals_of_a_fork_have_the_numbers_of_its_origin():
    told = record(fork_of(rules(ending=THREE_DEALS), random.Random(1), deal=2))

    pages = pages_of(told)

    assert first_deal(told) == 2
    titles = [page.splitlines()[0].split(", ")[-2:] for page in pages]
    origin = f"fork {ORIGIN.game_id} {ORIGIN.version}"
    assert titles == [[origin, "deal 2 of 3"], [origin, "deal 3 of 3"]]
    assert seen(pages, "3", "2", "1", "q", first=2) == [1, 2, 1, 1]


def test_a_log_shows_the_same_as_its_notation():
    raw = log_file("kitty", 5, 2, ending=THREE_DEALS)

    pages = pages_of(record_in("game", raw))

    assert len(pages) == 3
    assert " won: deals played" in pages[-1]


def test_names_that_a_terminal_cannot_show_stop_nobody(tmp_path, monkeypatch):
    text = text_of(events_of("standard", 4, 1, ending=THREE_DEALS)).replace('"Ana"', '"Zo\u00eb"')
    (tmp_path / "game").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", screen := io.TextIOWrapper(io.BytesIO(), "ascii"))

    assert main(["replay", str(tmp_path / "game")]) == 0

    assert b" 0 Zo? " in screen.buffer.getvalue()


def test_the_day_of_a_log_is_that_of_its_first_event():
    header, *events = map(json.loads, log_file("standard", 4, 2, ending=THREE_DEALS).splitlines())
    raw = with_hash([header | {"created_at": "\x1b[31mred"}, *events[:-1]])

    first, *_ = pages_of(record_in("game", raw))

    assert first.startswith(f"{header['game_id']}, {header['created_at'][:10]}, standard, ")


def test_no_hands_are_made_up_where_a_log_hides_them():
    raw = log_file("kitty", 5, 2, commands=9, viewer=PUBLIC)

    assert verify_log(raw).is_valid
    (page,) = pages_of(record_in("game", raw))
    assert page.endswith(", kitty")


def test_a_game_that_was_not_dealt_has_a_page_of_its_own():
    (page,) = pages_of(record(events_of("standard", 4, 1)[:2]))

    assert page.endswith("standard")


def test_what_a_terminal_would_obey_is_not_shown(pages):
    text = text_of(events_of("kitty", 5, 1, ending=THREE_DEALS)).replace("Ana", "A\x1b[2Ja")

    assert "0 A?[2Ja" in pages_of(record_in("game", text.encode()))[0]


@pytest.mark.parametrize("raw", [b"", b"{}", b"{}\n{}\n", b"\xff", b"nothing"])
def test_what_is_no_game_is_said_to_be_none(raw):
    with pytest.raises(UnfitFileError, match="game"):
        record_in("game", raw)


def test_a_document_is_told_what_it_lacks():
    with pytest.raises(UnfitFileError, match="take the game as jsonl"):
        record_in("game", b'{"header":{}}')


def test_in_a_pipe_all_pages_come_at_once(tmp_path, capsys):
    path = tmp_path / "game.hgn"
    path.write_text(text_of(events_of("standard", 4, 1, ending=THREE_DEALS)))

    assert main(["replay", str(path)]) == 0

    assert capsys.readouterr().out.count(", deal ") == 3
