"""What ends a process of ours that is not killed: signals, and the loss of who started it.

A terminal that hangs up tells only the leader of its session. Where that is `make`, it
waits for its children, who were told nothing. So a process that runs in the foreground of
a terminal looks by itself whether that is still there. What runs in the background, under
`nohup`, as a service or in a container has no terminal in this sense.
"""

import os
import signal
import threading
import time
from contextlib import suppress
from typing import Final

from service import stopping

_LOOK_EVERY_SECONDS: Final = 0.2


class Terminal:
    """The terminal behind *descriptor*, as long as this process runs in its foreground."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._in_front = False

    def is_lost(self) -> bool:
        """Tell whether it hung up while we were in its foreground."""
        try:
            self._in_front = os.tcgetpgrp(self._descriptor) == os.getpgrp()
        except OSError:  # it has hung up, and says nothing any more
            return self._in_front
        return False


def stop_when_told(parent: int | None) -> None:
    """Stop at SIGTERM and SIGINT, and with the terminal or the *parent* of this process.

    The terminal counts while we are in its foreground. It and SIGHUP do not count where
    SIGHUP is ignored, as under `nohup`. *parent* is a process id, None for one that need
    not stay. To be called from the main thread.
    """
    numbers = [signal.SIGTERM, signal.SIGINT]
    terminal = None
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
        terminal = _terminal()
    for number in numbers:
        signal.signal(number, lambda *_: stopping.begin())
    if terminal is not None or parent is not None:
        looking = threading.Thread(target=_look, args=(terminal, parent), name="end", daemon=True)
        looking.start()


def _terminal() -> Terminal | None:
    with suppress(OSError):  # a service, a container: there is none
        return Terminal(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    return None


def _look(terminal: Terminal | None, parent: int | None) -> None:
    while not stopping.is_stopping():
        if parent not in {None, os.getppid()} or (terminal is not None and terminal.is_lost()):
            stopping.begin()
        time.sleep(_LOOK_EVERY_SECONDS)
