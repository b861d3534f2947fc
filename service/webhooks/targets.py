"""Where messages may go: https to public addresses, and to nothing inside anybody's network.

A name says nothing: it is looked up again for each attempt, every address that it has must
be a public one, and the connection goes to an address that was checked.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

URL_CHARACTERS: Final = 256
URL: Final = re.compile(
    r"https?://([0-9A-Za-z.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?([/?][!\"$-~]*)?"
)
"""What a target looks like: no user, no fragment, no blank."""

_IPV4: Final = 4
_HTTPS_PORT: Final = 443
_HTTP_PORT: Final = 80
_LEAST_PORT: Final = 1_024
_MOST_PORT: Final = 65_535
_LABEL: Final = re.compile(r"(?!-)[0-9A-Za-z-]{1,63}(?<!-)")
_NUMBER: Final = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_NAMES_OF_OURS: Final = ("localhost", "local", "internal", "localdomain", "home.arpa", "onion")
# 64:ff9b::/96 leads to the address in its last four bytes. The others are ways into an
# address that nobody checks, or are no longer what they were.
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_NO_WAYS: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15"),
            "168.63.129.16/32",  # public by its number, and a cloud's own
            *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
        ),
    )
)


class TargetRefusedError(Exception):
    """Nothing is sent there; the text says why."""


class Target(NamedTuple):
    """A URL taken apart: *path* has the query, too."""

    is_tls: bool
    host: str
    port: int
    path: str


Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host, as texts; raises OSError."""


def target_of(url: str, *, anywhere: bool) -> Target:
    """Return what *url*, one that `URL` takes, leads to; *anywhere* is for tests.

    Raises:
        TargetRefusedError: Not to a public place by https.
    """
    parts = URL.fullmatch(url)
    assert parts is not None, "what is no URL was refused before"
    is_tls = url.startswith("https:")
    port = _port(parts[2], is_tls=is_tls)
    target = Target(is_tls, _host(parts[1]), port, _path(parts[3] or ""))
    if anywhere:
        return target
    if not is_tls:
        raise TargetRefusedError("A target has an https address.")
    if target.port != _HTTPS_PORT and target.port < _LEAST_PORT:
        raise TargetRefusedError(f"The port is 443, or one from {_LEAST_PORT} on.")
    _check_host(target.host)
    return target


def _host(text: str) -> str:
    if not text.startswith("["):
        return text.rstrip(".")
    try:
        return str(ipaddress.IPv6Address(text[1:-1]))
    except ValueError:
        raise TargetRefusedError("The host is no address.") from None


def _port(text: str | None, *, is_tls: bool) -> int:
    if text is None:
        return _HTTPS_PORT if is_tls else _HTTP_PORT
    port = int(text[1:])
    if not 0 < port <= _MOST_PORT:
        raise TargetRefusedError("There is no such port.")
    return port


def _path(rest: str) -> str:
    return rest if rest.startswith("/") else f"/{rest}"


def _check_host(host: str) -> None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        _check_name(host)
    else:
        check_address(str(address))


def _check_name(host: str) -> None:
    labels = host.split(".")
    if not all(_LABEL.fullmatch(label) for label in labels) or len(labels) < 2:  # noqa: PLR2004
        raise TargetRefusedError("The host is no public name.")
    # Other spellings of an address: what they stand for depends on who reads them.
    if _NUMBER.fullmatch(labels[-1]) or f".{host.lower()}".endswith(
        tuple(f".{name}" for name in _NAMES_OF_OURS)
    ):
        raise TargetRefusedError("The host is no public name.")


def resolved(host: str, port: int) -> list[str]:
    """Return the addresses of *host*.

    Raises:
        OSError: It has none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def addresses_of(target: Target, resolve: Resolve, *, anywhere: bool) -> list[str]:
    """Return the addresses of *target*, each of them a public one unless *anywhere*.

    Raises:
        TargetRefusedError: One of them is not.
        OSError: There are none.
    """
    found = list(resolve(target.host, target.port))
    if not found:
        raise OSError("the name has no address")
    if not anywhere:
        for one in found:
            check_address(one)
    return found


def check_address(text: str) -> None:
    """Make sure that *text* is an address that everybody can reach.

    Raises:
        TargetRefusedError: It is not.
    """
    try:
        address = _meant(ipaddress.ip_address(text))
    except ValueError:
        raise TargetRefusedError("The host has an address that nobody can read.") from None
    is_public = (
        address.is_global
        and (address.version == _IPV4 or address in _UNICAST)
        and not address.is_multicast
        and not any(
            address in network for network in _NO_WAYS if network.version == address.version
        )
    )
    if not is_public:
        raise TargetRefusedError("The host has an address that is not public.")


def _meant(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, else *address*."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address
