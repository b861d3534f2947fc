"""From which address a request comes, as far as one customer's addresses can be told apart."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from flask import request

_OF_ONE_LINE: Final = 64  # bits of an IPv6 address that one customer has


def client_address(header: str) -> str:
    """Return who asks, by address; of IPv6 the part that one customer has.

    *header* is the one in which the nearest proxy names the client, the last if it names
    several; empty where there is no proxy, and what clients put into headers says nothing.
    """
    if not header:
        return line_of(request.remote_addr or "")
    return line_of(request.headers.get(header, "").rpartition(",")[2].strip())


def line_of(given: str) -> str:
    """Return the part of the address *given* that one customer has; what is none, as it is."""
    try:
        address = ip_address(given)
    except ValueError:
        return given
    if isinstance(address, IPv6Address):
        inner: IPv4Address | None = address.ipv4_mapped
        return str(inner or ip_network((address.packed, _OF_ONE_LINE), strict=False))
    return given
