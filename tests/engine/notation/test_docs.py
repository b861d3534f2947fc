"""The game that the documents show can be read, and is the same everywhere."""

from pathlib import Path

from engine.notation.reader import read_game
from engine.notation.writer import write_game
from engine.verify.bot_moves import Comparison, bot_moves, movers_in
from engine.verify.text import verified_text
from tests.contract.spec import contract

ROOT = Path(__file__).parents[3]
EXAMPLE = (ROOT / "docs" / "example.hgn").read_text()


def test_the_example_is_as_it_would_be_written():
    assert write_game(read_game(EXAMPLE).record) == EXAMPLE


def test_every_move_of_a_bot_in_the_example_comes_out_again():
    """As long as its level has the version that it had then."""
    _, events, reading, links = verified_text(EXAMPLE)
    movers = movers_in(events, reading.versions)

    found = [move.comparison for move in bot_moves(events, movers, links)]

    assert len(found) == 36
    assert set(found) <= {Comparison.AGREES, Comparison.OTHER_VERSION}


def test_the_contract_shows_the_example():
    assert contract().document["components"]["examples"]["ExportNotation"]["value"] == EXAMPLE


def test_the_page_on_histories_shows_lines_of_the_example():
    page = (ROOT / "docs" / "histories.md").read_text()
    (shown,) = [block for block in page.split("```") if block.startswith("hgn\n")]

    for line in shown.splitlines()[1:]:
        assert line.removesuffix("…") in EXAMPLE
