"""Whether this process is about to end.

Long waits look here, so that an open long poll does not hold up a shutdown,
and so that readiness flips before connections close.
"""

import threading

_stopping = threading.Event()


def begin() -> None:
    """Say that this process is about to end; it cannot be taken back."""
    _stopping.set()


def is_stopping() -> bool:
    """Tell whether this process is about to end."""
    return _stopping.is_set()


def wait(seconds: float) -> bool:
    """Wait up to *seconds*, and return at once, True, when the process is to end."""
    return _stopping.wait(seconds)
