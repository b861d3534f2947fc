"""An outage is said when it begins and when it ends."""

import logging

import pytest

from service.outage import Outage


@pytest.fixture(autouse=True)
def _level(caplog):
    caplog.set_level(logging.INFO)


def test_an_outage_is_said_once(caplog):
    outage = Outage("the moon")
    for _ in range(3):
        outage.begins(OSError("gone"))

    assert caplog.messages == ["the moon is down: gone"]


def test_its_end_is_said_once(caplog):
    outage = Outage("the moon")
    outage.begins(OSError("gone"))
    for _ in range(3):
        outage.ends()

    assert len(caplog.messages) == 2
    assert caplog.messages[1].startswith("the moon is back after ")


def test_where_nothing_is_wrong_nothing_is_said(caplog):
    Outage("the moon").ends()

    assert caplog.messages == []


def test_the_next_outage_is_said_again(caplog):
    outage = Outage("the moon")
    for _ in range(2):
        outage.begins(OSError("gone"))
        outage.ends()

    assert len(caplog.messages) == 4
