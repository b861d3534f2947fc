import random
import re

import pytest
from redis import Redis

from service.cli import main
from service.review_command import review, told
from service.sources import UnfitFileError
from tests.analyses import TINY, hinted
from tests.engine.analysis.hurrying import hurry
from tests.histories import played, table_of
from tests.streams import restless_game
from tests.table import rules
from tests.tables import Api, full_table, make_app

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    hurry(monkeypatch)


@pytest.fixture
def api(redis_url, redis_db):
    return Api(make_app(redis_url))


def exported(api, stored, form="jsonl"):
    return table_of(api, stored).ask("GET", f"/export?format={form}", expect=200).data


def in_a_file(tmp_path, raw):
    path = tmp_path / "game"
    path.write_bytes(raw)
    return str(path)


def reviewed(raw, deal=None, tell=lambda *_: None):
    return review("game", raw, "hard", deal, tell)


@pytest.mark.parametrize("form", ["jsonl", "hgn"])
def test_a_file_is_reviewed(api, tmp_path, capsys, form):
    path = in_a_file(tmp_path, exported(api, played(TINY), form))

    assert main(["review", path]) == 0

    said = capsys.readouterr().out
    assert re.search(r"points +even +cards +play +rest +mistakes\n0 .* [0-9]+/8\n", said)
    assert "deal by deal:" in said
    assert said.count("\n\n") == 5


def test_a_cancellation_game_is_reviewed_trick_by_trick(api):
    stored = played(rules("cancellation", seats=7, ending=ONE_DEAL))

    text = told(reviewed(exported(api, stored)), "utf-8")

    assert "trick by trick:" in text
    rows = re.findall(r"^[0-6] .*  ([▁▂▃▄▅▆▇█]+)  [0-9.]+$", text, re.MULTILINE)
    assert [len(row) for row in rows] == [14] * 7


def test_the_same_file_gets_the_same_review(api):
    raw = exported(api, restless_game(TINY, random.Random(2)))

    assert reviewed(raw) == reviewed(raw)


def test_one_deal_alone_is_reviewed(api):
    raw = exported(api, played(TINY))

    both, second = reviewed(raw), reviewed(raw, deal=2)

    assert [one.deal for one in second.verdicts] == [2] * 16
    assert second.verdicts == both.verdicts[16:]


def test_it_is_told_how_far_it_is(api):
    counts = []

    reviewed(exported(api, played(TINY)), tell=lambda *some: counts.append(some))

    assert counts == [(done, 32) for done in range(1, 33)]


def test_the_review_says_what_the_service_says(api, redis_db):
    stored = played(TINY)
    table = table_of(api, stored)
    found = reviewed(table.ask("GET", "/export?format=jsonl", expect=200).data)
    with Redis.from_url(redis_db) as client:
        desk = hinted(api, client)
        made = table.ask("POST", "/analyses", None, {"level": "hard"}, expect=202)
        desk.work(api.deps.games)
        path = made.headers["Location"].removeprefix(table.path)
        result = table.ask("GET", path, expect=200).json["result"]

    assert [one["loss"] for one in result["decisions"]] == [one.loss for one in found.verdicts]
    text = told(found, "utf-8")
    for seat in result["seats"]:
        assert all(one["text"] in text for one in seat["dearest"])


@pytest.mark.parametrize(
    "source", ["no such file", "http://127.0.0.1:9/v1/games/" + "0" * 32, "0" * 32]
)
def test_where_there_is_no_game_that_is_said(source, capsys):
    assert main(["review", source, "--url", "http://127.0.0.1:9"]) == 2
    assert "no game there" in capsys.readouterr().err


def test_a_deal_that_was_not_played_is_refused(api, tmp_path, capsys):
    path = in_a_file(tmp_path, exported(api, played(TINY)))

    assert main(["review", path, "--deal", "3"]) == 2
    assert "this game will not do" in (said := capsys.readouterr().err)
    assert "deal 3 was not played" in said


def test_a_file_that_is_wrong_is_refused(api):
    raw = exported(api, played(TINY)).replace(b'"2C"', b'"3C"', 1)

    with pytest.raises(UnfitFileError, match="hearts verify"):
        reviewed(raw)


def test_notation_that_is_wrong_is_refused(api):
    raw = exported(api, played(TINY), "hgn")
    at = raw.index(b'[Seeds "') + 8
    wrong = raw[:at] + (b"0" if raw[at : at + 1] != b"0" else b"1") + raw[at + 1 :]

    with pytest.raises(UnfitFileError, match="hearts verify"):
        reviewed(wrong)


def test_a_game_whose_first_deal_goes_on_is_refused(api):
    table = full_table(api)
    table.start()
    raw = table.ask("GET", "/export?format=jsonl", expect=200).data

    with pytest.raises(UnfitFileError, match="no deal was played to its end"):
        reviewed(raw)


@pytest.mark.parametrize("command", ["review", "verify", "audit"])
def test_a_document_is_told_apart_from_a_file_that_is_wrong(api, tmp_path, capsys, command):
    path = in_a_file(tmp_path, exported(api, played(TINY), "json"))

    assert main([command, path]) == 2
    assert "take the game as jsonl" in capsys.readouterr().err


def test_a_poor_terminal_gets_plain_signs(api):
    text = told(reviewed(exported(api, played(TINY))), "ascii")

    assert text.isascii()
    assert "so far" in text
