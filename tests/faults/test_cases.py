"""The table in README.md names tests that are there, and each case once."""

import re
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).parent
ROWS = re.findall(
    r"^\| (\d+) \| (.+) \| (.+) \|$", (FOLDER / "README.md").read_text(), re.MULTILINE
)


def named(found_by):
    """Yield file and name of each test in *found_by*; a name without a file is in the last one."""
    file = None
    for other, name in re.findall(r"`(?:([\w./]+\.py)::)?(test_\w+)`", found_by):
        file = other or file
        yield file, name


def test_each_case_stands_in_one_line():
    assert ROWS
    assert [case for case, count in Counter(case for case, _, _ in ROWS).items() if count > 1] == []


def test_every_test_that_the_table_names_is_there():
    gone = [
        f"{case}: {file}::{name}"
        for case, _, found_by in ROWS
        for file, name in named(found_by)
        if not re.search(rf"^def {name}\(", (FOLDER / file).read_text(), re.MULTILINE)
    ]

    assert gone == []


def test_every_case_of_the_table_has_a_test():
    assert [case for case, _, found_by in ROWS if not list(named(found_by))] == []
