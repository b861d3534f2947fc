"""How long a job may take: so much processor time, and at most so much by the clock.

What a job does is counted, and not what else the machine is busy with: there a search takes
several times as long, and would be cut off, and a blind move made in its place. What waits for
ever, and does nothing, is cut off by the clock.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple, NoReturn

from rq.timeouts import JobTimeoutException

_SIGNALS: Final = (signal.SIGALRM, signal.SIGPROF)


class Limit(NamedTuple):
    """So many seconds of the process's time on processors, and so many by the clock."""

    processor: float
    clock: float


@contextmanager
def limited(limit: Limit) -> Iterator[None]:
    """Raise `JobTimeoutException` in what is surrounded once it is beyond *limit*.

    In the main thread alone, and one at a time: the signals are those of the process.
    """
    for one in _SIGNALS:
        signal.signal(one, _cut_off)
    signal.setitimer(signal.ITIMER_REAL, limit.clock)
    signal.setitimer(signal.ITIMER_PROF, limit.processor)
    try:
        yield
    finally:
        _stand_down()


def _cut_off(*_: object) -> NoReturn:
    raise JobTimeoutException("beyond the limit of a job")


def _stand_down() -> None:
    while True:
        try:
            # Ignored, and not as by default, which would end the process should one come late.
            for one in _SIGNALS:
                signal.signal(one, signal.SIG_IGN)
        except JobTimeoutException:
            continue  # it struck when all was done
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return
