"""The stream process: granian with one loop, on a socket that was opened before.

The application is the API's, so this process could answer everything. It is meant for
streams and long polls, which the proxy sends here.
"""

import resource
import sys
from importlib import import_module
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, cast

from granian.constants import Interfaces

from service import logs, settings, tracing
from service.server import Server, prepare, ready

if TYPE_CHECKING:
    from service.stream_app import StreamApp

_SWITCH_SECONDS = 0.0005
_OTHER_DESCRIPTORS = 200


def load_app(main: int, stop: Connection) -> "StreamApp":
    """Return the application, inside granian's child of the process *main*.

    The child is to end as soon as something comes out of *stop*.
    """
    prepare(main)
    tracing.start("hearts-stream")
    checked = settings.load()
    # What a thread has read is sent by the loop: neither may keep the other for long.
    sys.setswitchinterval(_SWITCH_SECONDS)
    # Not at the top: granian's main process needs none of it.
    app = import_module("service.app").create_app(checked, threadless_streams=True)
    made = import_module("service.stream_app").StreamApp(ready(app, stop), checked.api_threads)
    return cast("StreamApp", made)


def allow_descriptors(count: int) -> None:
    """Let this process and its children have *count* open files, as far as the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def main() -> None:
    """Serve on the socket whose number is the first argument, until SIGTERM."""
    checked = settings.load()
    logs.configure(checked.log_level)
    # Those that are turned away need a connection, too.
    connections = 2 * (checked.streams + checked.api_threads)
    allow_descriptors(connections + _OTHER_DESCRIPTORS)
    server = Server(int(sys.argv[1]), load_app, Interfaces.ASGINL, connections=connections)
    server.serve(target_loader=server.load, wrap_loader=False)


if __name__ == "__main__":
    main()
