"""A time of day that tests set: Python reads this first where `PYTHONPATH` leads here.

`ODD_CLOCK` names a file with the seconds by which the clock is wrong, read at every look. The
clock that only goes forward is left alone, as it is by whoever sets that of a machine.
"""

import os
import time
from pathlib import Path

_FILE = Path(os.environ["ODD_CLOCK"])
_right = time.time_ns


def _odd():
    return _right() + 1_000_000_000 * int(_FILE.read_text())


time.time_ns = _odd
time.time = lambda: _odd() / 1_000_000_000
