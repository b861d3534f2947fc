"""Where things are in tests of the deployment."""

import socket
from pathlib import Path

ROOT = Path(__file__).parents[2]


def free_port():
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]
