"""What is held is done when its time has come."""

import threading

from service.held import Held
from tests.processes import SECONDS, eventually


def test_what_is_held_is_done_in_the_order_of_its_time():
    held, done = Held(), []

    for number in (3, 1, 2):
        held(number / 20, lambda number=number: done.append(number))

    assert done == []
    eventually(lambda: done == [1, 2, 3])


def test_something_earlier_may_come_later():
    held, first = Held(), threading.Event()
    held(600, first.clear)

    held(0, first.set)

    assert first.wait(SECONDS)


def test_what_fails_is_told_without_its_text_and_the_next_is_done(caplog):
    held, done = Held(), threading.Event()

    held(0, lambda: int("QS"))
    held(0, done.set)

    assert done.wait(SECONDS)
    assert caplog.messages[0].startswith("a held move failed: ValueError < test_held.py:")
    assert "QS" not in caplog.text
