"""Whether this process is about to end.

Long waits look here, so that an open long poll does not hold up a shutdown,
and so that readiness flips before connections close.
"""

import threading

_stopping = threading.Event()
_first = threading.Lock()  # taken once, and never waited for


def begin() -> None:
    """Say that this process is about to end; it cannot be taken back."""
    # A signal may come while another's handler is inside set(), which would wait for itself.
    if _first.acquire(blocking=False):
        _stopping.set()


def is_stopping() -> bool:
    """Tell whether this process is about to end."""
    return _stopping.is_set()


def wait(seconds: float) -> bool:
    """Wait up to *seconds*, and return True at once when the process is to end.

    Not for the main thread of a process: a signal's handler that called
    begin() in the middle of this would wait for itself.
    """
    return _stopping.wait(seconds)
