"""Work on threads that nobody waits for."""

import subprocess
import sys

import pytest

from service.webhooks.aside import aside


def test_what_comes_of_it_is_there_for_whoever_asks():
    assert aside(lambda: 7, "a test").result(30) == 7
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0, "a test").result(30)


def test_a_process_ends_though_such_a_thread_does_not():
    program = "import threading; from service.webhooks.aside import aside; "
    program += "aside(threading.Event().wait, 'for ever')"

    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
