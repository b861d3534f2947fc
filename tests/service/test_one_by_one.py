"""The same thing is done by one thread at a time, another one beside it."""

from threading import Barrier

from service.one_by_one import OneByOne
from tests.tables import at_once


def test_who_wants_the_same_waits():
    line, inside, seen = OneByOne[str](), [], []

    def enter():
        with line.only("this"):
            inside.append(1)
            seen.append(len(inside))
            inside.pop()

    at_once(*[enter] * 8)

    assert seen == [1] * 8


def test_who_wants_something_else_does_not():
    line, both = OneByOne[str](), Barrier(2)

    def enter(what):
        with line.only(what):
            both.wait(10)

    at_once(lambda: enter("this"), lambda: enter("that"))
