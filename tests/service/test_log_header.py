"""The header of a log: what no event bears out is not believed, also where there is no event."""

import json

import pytest

from engine import commands as c
from engine.verify.report import Check, Verdict
from service.log_check import verify_log
from service.schemas.history import header_data
from service.schemas.responses import EVERYTHING, PUBLIC, Viewer
from tests.fakes import MemoryStore
from tests.faults.log_files import log_file, with_hash
from tests.house import House

LATER = "2199-01-01T00:00:00.000Z"
SEATED = (None, "easy", "medium", "hard")


@pytest.fixture(scope="module")
def house():
    return House(MemoryStore())


@pytest.fixture(scope="module")
def running(house):
    return header_data(house.read(house.started(*SEATED)), EVERYTHING, 0)


@pytest.fixture(scope="module")
def lobby(house):
    return header_data(house.read(house.open(*SEATED)), EVERYTHING, 0)


def code_of(*lines):
    """Return the code of what is wrong with the log of these *lines*, None if nothing is."""
    error = verify_log(with_hash(lines)).first_error
    return None if error is None else error.code


# Without events


@pytest.mark.parametrize("viewer", [EVERYTHING, Viewer(0), Viewer(3)])
def test_a_game_of_which_nothing_is_open_yet_is_right(house, viewer):
    chain = house.deps.keyring.seed_chain("5eed" * 16)
    rematch = c.Origin(c.REMATCH, "ab" * 16)
    for more in ({}, {"seed_chain": chain}, {"origin": rematch}):
        for game_id in (house.started(*SEATED, **more), house.open(*SEATED, **more)):
            assert code_of(header_data(house.read(game_id), viewer, 0)) is None


def test_nothing_but_its_form_is_checked(running):
    report = verify_log(with_hash([running]))

    assert [check for check, verdict in report.checks.items() if verdict is Verdict.PASS] == [
        Check.SYNTAX
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"complete": True},
        {"status": "finished"},
        {"status": "finished", "complete": True, "finished_at": LATER},
        {"status": "aborted"},
        {"status": "lobby"},
        {"status": "\x1b[31m"},
        {"finished_at": LATER},
        {"created_at": "\x1b[31m"},
        {"created_at": LATER},
        {"started_at": None},
        {"started_at": "soon"},
        {"game_id": "ab" * 16},
        {"view": {"kind": "public", "seat": None}},
        {"origin": {}},
        {"origin": {"kind": "import", "game_id": "ab" * 16, "version": None}},
        {"origin": {"kind": "fork", "game_id": "ab" * 16, "version": None}},
        {"fairness": {}},
        {"seats": [{}] * 4},
        {"seats": [None] * 4},
    ],
    ids=str,
)
def test_what_contradicts_itself_is_wrong(running, change):
    assert code_of(running | change) == "wrong_header"


@pytest.mark.parametrize(
    "change",
    [
        {"scheme": "hearts-shuffle-2"},
        {"mode": "seeded"},
        {"commitment": "ab" * 32},
        {"commitment": None},
        {"deals_commitment": "ab" * 32},
        {"client_seeds": []},
        {"client_seeds": ["-"] * 5},
        {"client_seeds": ["-", "-", "-", "seed"]},
        {"more": None},
    ],
    ids=str,
)
def test_so_is_a_commitment_to_something_else(running, change):
    assert code_of(running | {"fairness": running["fairness"] | change}) == "wrong_header"


@pytest.mark.parametrize(
    "change",
    [
        {"seat": 1},
        {"seat": False},
        {"name": 7},
        {"name": " "},
        {"kind": "bot"},
        {"kind": "dog"},
        {"controller": "bot"},
        {"bot_level": "easy"},
        {"bot_level": "master"},
        {"more": None},
    ],
    ids=str,
)
def test_so_is_a_seat_where_nobody_can_sit(running, change):
    seats = [running["seats"][0] | change, *running["seats"][1:]]

    assert code_of(running | {"seats": seats}) == "wrong_header"


def test_so_are_seeds_before_the_start(lobby):
    fairness = lobby["fairness"] | {"client_seeds": ["-"] * 4}

    assert code_of(lobby | {"fairness": fairness}) == "wrong_header"


@pytest.mark.parametrize("kind", ["all", "seat"])
def test_a_view_of_nobody_is_no_view(running, kind):
    view = {"kind": kind, "seat": 4 if kind == "seat" else 0}

    assert code_of(running | {"view": view}) == "bad_header"


@pytest.mark.parametrize("name", ["", "AB" * 16, "ab" * 15, "\x1b[31m"])
def test_what_is_no_id_is_that_of_no_game(running, name):
    assert code_of(running | {"game_id": name}) == "bad_header"


# Where the events are hidden from some point on


@pytest.mark.parametrize(
    "change",
    [
        {"status": "finished"},
        {"status": "lobby"},
        {"started_at": None},
        {"finished_at": LATER},
        {"created_at": LATER},
        {"origin": {}},
        {"origin": {"kind": "rematch", "game_id": "ab" * 16, "version": None}},
        {"fairness": {}},
        {"seats": [{}] * 5},
    ],
    ids=str,
)
def test_hidden_cards_hide_no_wrong_header(change):
    raw = log_file("standard", 4, 2, commands=14, viewer=PUBLIC)
    header, *events = [json.loads(line) for line in raw.splitlines()[:-1]]
    report = verify_log(raw)
    assert report.is_valid
    assert report.checks[Check.LEGALITY] is Verdict.SKIPPED

    assert code_of(header | change, *events) == "wrong_header"
