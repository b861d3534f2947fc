"""The one reader of bodies: what it takes, and what it refuses without falling over."""

import re
import time

import pytest

from service import strict_json
from service.strict_json import MalformedJsonError
from tests.nasty import MALFORMED, NO_OBJECT


@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_json_is_refused(raw):
    """Fault cases 127, 128, 129 and 132."""
    with pytest.raises(MalformedJsonError):
        strict_json.read(raw)


@pytest.mark.parametrize("raw", NO_OBJECT.values(), ids=NO_OBJECT)
def test_what_is_no_object_is_still_json(raw):
    strict_json.read(raw)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"{}", {}),
        (b' \t\r\n{ "a" : [ 1 , -2 ] } ', {"a": [1, -2]}),
        (b'{"x": 999999999}', {"x": 999_999_999}),
        (b'{"x": -999999999}', {"x": -999_999_999}),
        (b'{"x": 4.0}', {"x": 4.0}),
        (b'{"x": 1e2}', {"x": 100.0}),
        (b'{"x": 1e-400}', {"x": 0.0}),
        (b'{"x": -0}', {"x": 0}),
        (b'{"\\u0061": "\\u0000"}', {"a": "\0"}),
        (b'{"x": "\\ud83c\\udca1"}', {"x": "\U0001f0a1"}),
        ('{"x": "\U0001f0a1 é e\u0301"}'.encode(), {"x": "\U0001f0a1 é e\u0301"}),
        (b'{"a": {"a": 1}, "b": {"a": 1}}', {"a": {"a": 1}, "b": {"a": 1}}),
        (b'{"x": "' + b"a" * 256 + b'"}', {"x": "a" * 256}),
        (b'{"x": "' + b"[" * 200 + b'"}', {"x": "[" * 200}),
        (b'{"x": "\\\\", "y": "]]]]"}', {"x": "\\", "y": "]]]]"}),
    ],
)
def test_sound_json_is_read_as_it_is(raw, value):
    assert strict_json.read(raw) == value


def test_eight_levels_and_sixty_four_members_are_read():
    strict_json.read(b"[" * 8 + b"]" * 8)
    members = ", ".join(f'"{number}": 1' for number in range(64))

    assert len(strict_json.read(f"{{{members}}}".encode())) == 64


@pytest.mark.parametrize("raw", [b'"a', b'["\x01"]', b'{"a" 1}', b"[1 2]", b"1 2", b""])
def test_a_message_says_once_where_the_fault_is(raw):
    with pytest.raises(MalformedJsonError) as refused:
        strict_json.read(raw)

    assert str(refused.value).split().count("at") == 1
    assert re.search(r" at line 1, column \d+\.$", str(refused.value))


def test_a_message_says_nothing_of_what_was_sent():
    with pytest.raises(MalformedJsonError) as refused:
        strict_json.read(b'{"token": "hst_secret", "token": "hst_secret"}')

    assert "hst_" not in str(refused.value)


@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED)
def test_a_refusal_takes_no_time(raw):
    began = time.process_time()
    with pytest.raises(MalformedJsonError):
        strict_json.read(raw)

    assert time.process_time() - began < 0.25  # a hundredth of that, on a quiet machine
