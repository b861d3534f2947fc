"""Work on threads that the end of the process does not wait for.

Those of `ThreadPoolExecutor` are joined at the exit, however long what they are in may take.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_Found = TypeVar("_Found")


def aside(work: Callable[[], _Found], name: str) -> Future[_Found]:
    """Begin *work* on a thread of that *name*; return what will have what comes of it."""
    future: Future[_Found] = Future()
    threading.Thread(target=_run, args=[work, future], name=name, daemon=True).start()
    return future


def _run(work: Callable[[], _Found], future: Future[_Found]) -> None:
    try:
        found = work()
    except BaseException as exc:  # noqa: BLE001 - raised where the future is asked
        future.set_exception(exc)
    else:
        future.set_result(found)
