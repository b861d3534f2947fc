"""From where a request comes, by what can be believed."""

import pytest
from flask import Flask

from service.addresses import client_address


@pytest.mark.parametrize(
    ("header", "given", "address"),
    [
        ("", "203.0.113.7", "127.0.0.1"),
        ("X-Real-IP", "203.0.113.7", "203.0.113.7"),
        ("X-Real-IP", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("X-Real-IP", "2001:db8:1:2:3:4:5:6%eth0", "2001:db8:1:2::/64"),
        ("X-Real-IP", "::ffff:203.0.113.7", "203.0.113.7"),
        ("X-Real-IP", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("X-Real-IP", "unix:", "unix:"),
        ("X-Real-IP", "", ""),
        ("X-Forwarded-For", "203.0.113.7", ""),
    ],
)
def test_an_address_is_taken_from_where_it_is_said_to_stand(header, given, address):
    headers, base = {"X-Real-IP": given}, {"REMOTE_ADDR": "127.0.0.1"}
    with Flask(__name__).test_request_context(headers=headers, environ_base=base):
        assert client_address(header) == address


def test_where_there_is_no_proxy_the_connection_says_it():
    base = {"REMOTE_ADDR": "2001:db8:1:2::9"}
    with Flask(__name__).test_request_context(environ_base=base):
        assert client_address("") == "2001:db8:1:2::/64"
