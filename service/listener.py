"""The one socket on which the API listens, taken before anything else is started.

The parent of all processes holds it. So nobody else gets the port, two starts
at the same instant cannot both succeed, and while a killed API process comes
back, its clients' connections wait in the socket's queue.
"""

import errno
import socket

from service.embedded import CannotStartError
from service.settings import SettingsError

_BACKLOG = 1024


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at *host* and *port*; port 0 is any free one.

    Raises:
        CannotStartError: The port is taken, or not for us to have.
        SettingsError: The host is none that this machine has.
    """
    try:
        family, *_, address = min(
            socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE),
            key=lambda found: found[0] != socket.AF_INET,  # a name's IPv4 address first
        )
        listener = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as exc:
        if isinstance(exc, socket.gaierror) or exc.errno == errno.EADDRNOTAVAIL:
            why = (
                f"HEARTS_HOST is {host!r}, but must be an address of this machine: {exc.strerror}."
            )
            raise SettingsError([why]) from exc
        raise CannotStartError(_explain(exc, host, port)) from exc
    # Head and body leave in two writes; without this, which connections inherit, the second
    # waits for the client's acknowledgement of the first, 40 ms on a connection kept open.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def base_address(listener: socket.socket, host: str) -> str:
    """Return the address to tell people, such as `http://127.0.0.1:8000`."""
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _explain(exc: OSError, host: str, port: int) -> str:
    if exc.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; end what uses it or choose another in HEARTS_PORT"
    return f"port {port} of {host}: {exc.strerror}"
