"""The one socket on which the API listens, taken before anything else is started.

The parent of all processes holds it. So nobody else gets the port, two starts
at the same instant cannot both succeed, and while a killed API process comes
back, its clients' connections wait in the socket's queue.
"""

import errno
import socket

from service.embedded import CannotStartError
from service.settings_reader import SettingsError

_BACKLOG = 1024
_UNREAD_BYTES = 32 * 1024  # the system takes twice as much
_UNREAD_MILLISECONDS = 10_000


def listen(host: str, port: int, *, for_streams: bool = False) -> socket.socket:
    """Return a socket that listens at *host* and *port*; port 0 is any free one.

    *for_streams* keeps little of what a client does not read.

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
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux
        # Connections inherit this, too: a client that reads nothing is cut off.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MILLISECONDS)
    if for_streams:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD_BYTES)
    return listener


def base_address(listener: socket.socket, host: str) -> str:
    """Return the address to tell people, such as `http://127.0.0.1:8000`."""
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _explain(exc: OSError, host: str, port: int) -> str:
    if exc.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken; end what uses it or choose another in HEARTS_PORT"
    return f"port {port} of {host}: {exc.strerror}"
