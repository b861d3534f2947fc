"""Proofs of deals, checked by the recipe that docs/fairness.md gives to everybody."""

import re
from functools import cache
from pathlib import Path

DOCUMENT = Path(__file__).parents[1] / "docs" / "fairness.md"
DECK = [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]


def holds(proof, commitment):
    """Return whether *proof* leads from *commitment* to its hands."""
    return recipe()["holds"](proof, commitment)


@cache
def recipe():
    """Return the names that the recipe defines."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    names = {}
    exec(compile(code, DOCUMENT.name, "exec"), names)  # noqa: S102 - what a reader would run
    return names
