import logging

import pytest

from service import quarantine
from service.quarantine import Quarantine

GAME, OTHER = "8814f3a0c2d94be1a7705d6e4f218b9c", "0" * 32


@pytest.fixture
def closed(caplog):
    caplog.set_level(logging.INFO)
    return Quarantine()


def test_a_closed_game_is_said_once(closed, caplog):
    for _ in range(3):
        closed.tell(GAME, "log", "event 7 makes no sense")

    assert caplog.messages == [f"quarantined {GAME} (log): event 7 makes no sense"]
    assert caplog.records[0].levelname == "ERROR"


def test_another_reason_another_game_and_another_matter_are_news(closed, caplog):
    closed.tell(GAME, "log", "event 7 makes no sense")
    closed.tell(GAME, "secret", "event 7 makes no sense")
    closed.tell(OTHER, "log", "event 7 makes no sense")
    closed.tell(GAME, "log", "event 8 makes no sense")

    assert len(caplog.messages) == 4


def test_a_game_that_was_mended_is_said_and_may_be_closed_again(closed, caplog):
    closed.tell(GAME, "log", "event 7 makes no sense")
    for _ in range(2):
        closed.lift(GAME, "log")
        closed.lift(OTHER, "log")
    closed.tell(GAME, "log", "event 7 makes no sense")

    first, mended, again = caplog.messages
    assert mended == f"no longer quarantined: {GAME} (log)"
    assert first == again


def test_no_more_than_some_thousand_are_remembered(closed, monkeypatch):
    monkeypatch.setattr(quarantine, "_KEPT", 3)
    for number in range(10):
        closed.tell(f"{number:032x}", "log", "event 7 makes no sense")

    assert [int(game_id, 16) for game_id, _ in closed._said] == [7, 8, 9]
