"""Files that were damaged or made to hurt: a report comes back, and soon, whatever they hold."""

import json
import random
from contextlib import suppress

import pytest

from engine.verify.report import Verdict
from service.log_check import verify_log
from service.verification import FORMS
from tests.contract.drift import changed, nodes
from tests.engine.notation.records import events_of, text_of
from tests.faults.log_files import hashed, log_file, with_hash
from tests.forks import fork_of
from tests.servers import OwnApi
from tests.streams import stored_fork
from tests.table import rules
from tests.tables import KEYS
from tests.wires import Wire

VERIFY = {form.name: form.verify for form in FORMS}
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}
NAMES = pytest.mark.parametrize("name", [*VERIFY])
FILES = pytest.mark.parametrize("name", [*VERIFY, *(f"{name} of a fork" for name in VERIFY)])
TIMES = 400


@pytest.fixture(scope="module")
def files():
    others = text_of(events_of("omnibus", 4, 3, ending=TWO_DEALS)).encode()
    return {
        "hgn": (text_of(events_of("kitty", 5, 1, ending=TWO_DEALS)).encode(), others),
        "jsonl": (log_file("kitty", 5, 1, ending=TWO_DEALS), log_file("omnibus", 4, 3)),
        "hgn of a fork": (a_fork("kitty", 5), a_fork("omnibus", 4)),
        "jsonl of a fork": tuple(
            log_file(preset, seats, 1, ending=TWO_DEALS, play=stored_fork)
            for preset, seats in (("kitty", 5), ("omnibus", 4))
        ),
    }


def a_fork(preset, seats):
    events = fork_of(rules(preset, seats, ending=TWO_DEALS), random.Random(1))
    return text_of(events).encode()


def verified(name, raw):
    """Return the report on *raw*, a file like the one of that *name*."""
    return VERIFY[name.split()[0]](raw)


def flipped(raw, rng):
    """Return *raw* with some of its bits turned over."""
    changed = bytearray(raw)
    for _ in range(rng.choice([1, 1, 2, 30])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def spliced(raw, other, rng):
    """Return the beginning of *raw*, a piece of *other*, and some end of *raw*."""
    first, second, third, fourth = (rng.randrange(len(raw)) for _ in range(4))
    piece = other[min(third, fourth) % len(other) :][: rng.randrange(2_000)]
    return raw[:first] + piece + raw[second:]


def shuffled(raw, rng):
    """Return *raw* with some of its lines elsewhere, doubled or gone."""
    lines = raw.split(b"\n")
    for _ in range(rng.randrange(1, 5)):
        line = lines.pop(rng.randrange(len(lines)))
        for _ in range(rng.randrange(3)):
            lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


@FILES
def test_a_damaged_file_is_reported_on(files, name):
    raw, other = files[name]
    rng = random.Random(name)
    ways = [lambda: flipped(raw, rng), lambda: spliced(raw, other, rng), lambda: shuffled(raw, rng)]

    assert verified(name, raw).is_valid
    reports = [verified(name, rng.choice(ways)()) for _ in range(TIMES)]

    assert sum(report.is_valid for report in reports) < TIMES / 10
    for report in reports:
        assert report.is_valid == (Verdict.FAIL not in report.checks.values())


@FILES
def test_a_file_may_end_anywhere(files, name):
    raw, _ = files[name]
    for end in range(0, len(raw) - 1, len(raw) // 150):
        assert not verified(name, raw[:end]).is_valid


def test_a_damaged_log_under_a_right_hash_is_reported_on(files):
    raw, other = files["jsonl"]
    rng = random.Random(5)
    for _ in range(TIMES):
        changed = rng.choice([flipped(raw, rng), shuffled(raw, rng), spliced(raw, other, rng)])
        verify_log(hashed(changed))


def test_no_value_of_a_position_but_its_own_is_right(files):
    header, *events, _ = map(json.loads, files["jsonl of a fork"][0].splitlines())
    (place,) = (at for at, event in enumerate(events) if event["type"] == "position.set")
    parts = [(name, path) for name in ("data", "private") for path, _ in nodes(events[place][name])]
    rng = random.Random(6)
    for name, path in rng.sample([(name, path) for name, path in parts if path], TIMES // 4):
        event, odd = events[place], rng.choice(ODD)
        part = changed(event[name], path, odd)
        if json.dumps(part) != json.dumps(event[name]):
            other = [*events[:place], event | {name: part}, *events[place + 1 :]]
            assert not verify_log(with_hash([header, *other])).is_valid, (path, odd)


ODD = [None, True, -1, 3, 99_999_999_999, "", "QS", "left", [], [[]], ["QS"], {}, {"0": 1}]

MEBIBYTE = 1 << 20
HEAVY = {
    "brackets": b"[" * MEBIBYTE,
    "objects": b'{"a":' * (MEBIBYTE // 5),
    "pairs of brackets": b"[]" * (MEBIBYTE // 2),
    "quotes": b'"' * MEBIBYTE,
    "backslashes": b'"' + b"\\" * MEBIBYTE,
    "digits": b"9" * MEBIBYTE,
    "blanks": b" " * MEBIBYTE,
    "lines": b"\n" * MEBIBYTE,
    "empty objects": b"{}\n" * (MEBIBYTE // 3),
    "a long list": b'{"a":[' + b"1," * (MEBIBYTE // 2) + b"1]}",
    "tags": b'[A "x"]\n' * (MEBIBYTE // 8),
    "a long tag": b'[HGN "' + b'\\"' * (MEBIBYTE // 2) + b"\n",
    "no text": b"\xff" * MEBIBYTE,
    "zeros": b"\0" * MEBIBYTE,
}


@NAMES
@pytest.mark.parametrize("heavy", HEAVY.values(), ids=[*HEAVY])
def test_a_heavy_file_is_refused(name, heavy):
    for raw in (heavy, heavy + b"\n{}\n"):
        report = VERIFY[name](raw)

        assert not report.is_valid
        assert report.events == 0


@pytest.mark.parametrize(
    "line",
    [
        "P left 0:" + "2C-" * 300_000 + "2C",
        "P left " + "0:2C " * 200_000,
        "D1 " + "2" * 1_000_000,
        "D1 " + "." * 1_000_000,
        "S " + "9" * 1_000_000,
        "K0\n" * 300_000,
        "V x\n" * 9_000,
    ],
    ids=["cards", "passes", "ranks", "dots", "digits", "kitties", "voids"],
)
def test_a_heavy_line_in_a_sound_game_is_refused(files, line):
    raw, _ = files["hgn"]

    report = VERIFY["hgn"](raw.replace(b"\nS ", b"\n" + line.encode() + b"\nS ", 1))

    assert not report.is_valid


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"scoring.queen_of_spades=13", b"scoring.queen_of_spades=9999999"),
        (b"ending.deals=2", b"ending.deals=9999999"),
        (b"passing.count=3", b"passing.count=9999999"),
        (b"deck.remove=none", b"deck.remove=" + b"2C," * 6_000 + b"2C"),
        (b"passing.cycle=left,right", b"passing.cycle=" + b"left," * 3_000 + b"left"),
        (b"scoring.hearts=one", b"scoring.hearts=" + b"2:1," * 4_000 + b"2:1"),
    ],
)
def test_rules_without_measure_are_refused(files, old, new):
    raw, _ = files["hgn"]
    assert old in raw

    assert VERIFY["hgn"](raw.replace(old, new, 1)).first_error.code == "bad_tag_value"


# Over the wire


VERIFICATION = b"POST /v1/verifications HTTP/1.1\r\nHost: x\r\nContent-Type: text/x-hgn\r\n"


@pytest.fixture(scope="module")
def process(redis_url, tmp_path_factory):
    """The API's process."""
    own = OwnApi(tmp_path_factory.mktemp("files"), redis_url, HEARTS_SECRET_KEYS=KEYS[0])
    yield own
    own.close()


def chunked(size):
    piece = b"%x\r\n%s\r\n" % (1 << 16, b" " * (1 << 16))
    rest = size % (1 << 16)
    last = b"%x\r\n%s\r\n" % (rest, b" " * rest) if rest else b""
    head = VERIFICATION + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + piece * (size // (1 << 16)) + last + b"0\r\n\r\n"


def with_length(size):
    return VERIFICATION + b"Content-Length: %d\r\n\r\n" % size + b" " * size


@pytest.mark.parametrize("request_of", [with_length, chunked])
@pytest.mark.parametrize(
    ("size", "status"), [(1, 200), (MEBIBYTE, 200), (MEBIBYTE + 1, 413), (5 * MEBIBYTE, 413)]
)
def test_a_file_of_a_mebibyte_is_read_and_no_more(process, request_of, size, status):
    with Wire(process.address) as wire:
        with suppress(OSError):  # it may be refused before all was sent
            wire.send(request_of(size))

        assert wire.answer().status == status
