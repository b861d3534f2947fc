"""Names and versions of the types of events."""

import re
from typing import get_args

import pytest

from engine import events as e
from service.store.event_types import EVENT_TYPES, TYPE_NAMES, type_of, version_of


def test_every_event_has_a_name_and_a_version():
    assert set(EVENT_TYPES) == set(get_args(e.Event))


def test_no_two_events_share_a_name():
    assert len(TYPE_NAMES) == len(EVENT_TYPES)


@pytest.mark.parametrize("name", sorted(TYPE_NAMES))
def test_a_name_says_of_what_and_what_happened(name):
    assert re.fullmatch(r"[a-z]+\.[a-z]+(_[a-z]+)*", name)


def test_an_event_is_named_by_its_type():
    event = e.GameStarted(("-",) * 4)

    assert type_of(event) == "game.started"
    assert version_of(event) == 1
