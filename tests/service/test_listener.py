import re
import socket

import pytest

from service.embedded import CannotStartError
from service.listener import base_address, listen
from service.settings_reader import SettingsError


def test_a_client_can_connect_before_anybody_answers():
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        pass


def test_a_connection_sends_what_it_has_at_once():
    with (
        listen("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_is_had_by_one_process_at_a_time():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        with pytest.raises(CannotStartError, match=f"port {port} of 127.0.0.1 is taken"):
            listen("127.0.0.1", port)


def test_a_port_that_is_taken_on_all_addresses_is_taken():
    with listen("0.0.0.0", 0) as listener, pytest.raises(CannotStartError, match="is taken"):
        listen("127.0.0.1", listener.getsockname()[1])


def test_a_port_is_free_again_at_once():
    with listen("127.0.0.1", 0) as listener:
        address = listener.getsockname()
        with socket.create_connection(address) as client:
            server, _ = listener.accept()
            server.close()
            client.recv(1)

    listen(*address).close()


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "1.2.3.4.5", "no-such-host.invalid"])
def test_an_address_that_is_not_ours_is_a_wrong_setting(host):
    with pytest.raises(SettingsError, match=f"HEARTS_HOST is '{re.escape(host)}', but must be "):
        listen(host, 0)


def test_a_name_is_listened_to_on_its_ipv4_address():
    with listen("localhost", 0) as listener:
        assert listener.family == socket.AF_INET
        assert base_address(listener, "localhost").startswith("http://localhost:")


def test_an_ipv6_address_is_told_in_brackets():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]

        assert base_address(listener, "::1") == f"http://[::1]:{port}"
