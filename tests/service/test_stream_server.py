"""A stream process has room for as many connections as it is to hold."""

import subprocess
import sys

import pytest

LIMIT = """
import resource, sys
from service.stream_server import allow_descriptors
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 300))
allow_descriptors(int(sys.argv[1]))
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(("wanted", "allowed"), [(50, 100), (200, 200), (5_000, 300)])
def test_it_may_open_as_many_files_as_it_needs(wanted, allowed):
    command = [sys.executable, "-c", LIMIT, str(wanted)]

    assert subprocess.check_output(command, text=True) == f"{allowed} 300\n"
