"""The verifiers of docs/verify accept what is right, and nothing else."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.histories import played, table_of
from tests.table import rules
from tests.tables import SHORT, Api, make_app, started_table

ROOT = Path(__file__).parents[2]
VECTORS = json.loads((ROOT / "tests" / "engine" / "shuffle_vectors.json").read_text())
PROGRAMS = {"python3": "verify_deal.py", "node": "verify_deal.mjs", "perl": "verify_deal.pl"}
MOST_LINES = 40
BITS = 10_000
SECONDS = 120


@pytest.fixture(params=PROGRAMS)
def verdicts(request):
    """Give a function that returns what a verifier says of proofs, under a commitment."""
    program = shutil.which(request.param)
    if program is None:
        pytest.skip(f"there is no {request.param}")
    source = ROOT / "docs" / "verify" / PROGRAMS[request.param]

    def ask(commitment, proofs, end=b"\n"):
        lines = b"\n".join(proofs) + end
        command = [program, source, commitment]
        ran = subprocess.run(
            command, input=lines, capture_output=True, timeout=SECONDS, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        return ran.stdout.decode().splitlines()

    return ask


@pytest.fixture(scope="module")
def finished(redis_url):
    """Return the commitment of a finished game, and the proofs of its deals."""
    table = table_of(Api(make_app(redis_url)), played(rules("standard", 5)))
    fairness = table.ask("GET", "/fairness", expect=200).json
    deals = len(fairness["revealed"])
    assert deals > 3
    proofs = [
        table.ask("GET", f"/deals/{deal}/proof", expect=200).json for deal in range(1, deals + 1)
    ]
    return fairness["commitment"], proofs


def compact(proof):
    return json.dumps(proof, separators=(",", ":")).encode()


def vector(given):
    proof = given["proof"]
    cards = {name: proof[name].split() for name in ("deck", "kitty")}
    return compact(proof | cards | {"hands": [hand.split() for hand in proof["hands"]]})


def without_line_ends(line):
    # One proof stands on one line: a line's end in it would make two of it.
    return b"\n" not in line and b"\r" not in line


def flipped(line, rng):
    place = rng.randrange(8 * len(line))
    bits = int.from_bytes(line, "little") ^ 1 << place
    return bits.to_bytes(len(line), "little")


def changed(value):
    """Yield *value* with one thing changed, in every place."""
    match value:
        case bool() | None:
            return
        case int():
            yield from (value + 1, value - 1, -value, str(value), None)
        case str():
            yield from (value[:-1], value + "0", value.upper(), value.lower(), value[::-1], None)
        case list():
            yield from (value[:-1], [*value, *value[:1]], value[::-1], None)
            for place, item in enumerate(value):
                yield from ([*value[:place], one, *value[place + 1 :]] for one in changed(item))
        case dict():
            for name, item in value.items():
                yield {other: value[other] for other in value if other != name}
                yield from ({**value, name: one} for one in changed(item))


@pytest.mark.parametrize("name", PROGRAMS.values())
def test_a_verifier_is_short_enough_to_be_read(name):
    lines = (ROOT / "docs" / "verify" / name).read_text().splitlines()

    assert len(lines) <= MOST_LINES


def test_the_vectors_are_accepted(verdicts):
    for given in VECTORS:
        assert verdicts(given["commitment"], [vector(given)]) == ["ok"]


def test_the_deals_of_a_finished_game_are_accepted(verdicts, finished):
    commitment, proofs = finished

    assert set(verdicts(commitment, map(compact, proofs))) == {"ok"}
    other = VECTORS[0]["commitment"]
    assert set(verdicts(other, map(compact, proofs))) == {"wrong"}


def test_the_deals_of_a_seeded_game_are_accepted(verdicts, redis_url):
    dealing = {"mode": "seeded", "seed": "5eed" * 16}
    table = started_table(Api(make_app(redis_url)), dealing=dealing, rules=SHORT)
    table.ask("POST", "/abort", "host", expect=200)
    proof = table.ask("GET", "/deals/1/proof", expect=200).json
    fairness = table.state()["fairness"]

    assert verdicts(fairness["deals_commitment"], [compact(proof)]) == ["ok"]
    assert verdicts(fairness["commitment"], [compact(proof)]) == ["wrong"]


def test_no_change_of_any_field_is_accepted(verdicts, finished):
    commitment, proofs = finished
    others = [compact(other) for other in changed(proofs[1]) if other != proofs[1]]

    assert len(others) > 500
    assert set(verdicts(commitment, others)) == {"wrong"}


def test_no_flipped_bit_is_accepted(verdicts, finished):
    commitment, proofs = finished
    rng = random.Random(11)
    line = compact(proofs[0])
    broken = [other for _ in range(BITS) if without_line_ends(other := flipped(line, rng))]

    assert len(broken) > BITS * 0.9
    assert set(verdicts(commitment, broken)) == {"wrong"}


def test_a_last_line_needs_no_end(verdicts, finished):
    """As the API sends a proof."""
    commitment, (proof, *_) = finished

    assert verdicts(commitment, [compact(proof)], end=b"") == ["ok"]
    assert verdicts(commitment, [compact(proof | {"deal": 2})], end=b"") == ["wrong"]
