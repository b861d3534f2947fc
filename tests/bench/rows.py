"""The lines that `make bench` prints, and how it says what it is at."""

import sys
import time
from typing import NamedTuple


class Row(NamedTuple):
    """A line of the table: a ratio, and the bar it is held against, if there is one."""

    name: str
    ratio: float
    bar: float | None
    is_ceiling: bool
    note: str

    def verdict(self):
        if self.bar is None:
            return ""
        held = self.ratio <= self.bar if self.is_ceiling else self.ratio >= self.bar
        return f"{'≤' if self.is_ceiling else '≥'} {self.bar:g}  {'held' if held else 'SHORT'}"


def shown(part, *servers):
    """Say what is measured, and what it took."""
    say(part.__doc__)
    began = time.perf_counter()
    rows = part(*servers)
    for row in rows:
        say(f"    {row.ratio:.2f}  {row.name}  {row.note}")
    say(f"    {time.perf_counter() - began:.0f} s")
    return rows


def say(text):
    print(f"… {text}", file=sys.stderr, flush=True)
