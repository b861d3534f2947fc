"""Which addresses messages may go to."""

import pytest

from service.webhooks.targets import (
    URL,
    Target,
    TargetRefusedError,
    addresses_of,
    check_address,
    resolved,
    target_of,
)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://app.example.com", Target(True, "app.example.com", 443, "/")),
        ("https://app.example.com/a/b?c=d", Target(True, "app.example.com", 443, "/a/b?c=d")),
        ("https://app.example.com:8443?x", Target(True, "app.example.com", 8443, "/?x")),
        ("https://app.example.com./", Target(True, "app.example.com", 443, "/")),
        ("https://8.8.8.8/", Target(True, "8.8.8.8", 443, "/")),
        ("https://[2606:4700::1111]:1024/", Target(True, "2606:4700::1111", 1024, "/")),
    ],
)
def test_a_public_address_by_https_is_a_target(url, target):
    assert URL.fullmatch(url)
    assert target_of(url, anywhere=False) == target


@pytest.mark.parametrize(
    "url",
    [
        "https://user@example.com/",
        "https://user:word@example.com/",
        "https://example.com/#part",
        "https://example.com\\@127.0.0.1/",
        "https://example.com/ x",
        "https://example.com/\n",
        "https://exämple.com/",
        "https:///path",
        "https://",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "HTTPS://example.com/",
        "//example.com/",
    ],
)
def test_what_is_no_plain_address_is_no_url(url):
    assert not URL.fullmatch(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://app.example.com/",
        "https://app.example.com:22/",
        "https://app.example.com:80/",
        "https://app.example.com:0/",
        "https://app.example.com:65536/",
        "https://localhost/",
        "https://a.localhost/",
        "https://LOCALHOST./",
        "https://redis/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://017700000001/",
        "https://x.0x7f/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://[zz]/".replace("zz", "0ab67"),
        "https://a..b/",
        "https://-a.example.com/",
    ],
)
def test_what_may_lie_inside_is_no_target(url):
    assert URL.fullmatch(url)
    with pytest.raises(TargetRefusedError):
        target_of(url, anywhere=False)


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1"),
        *("127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8"),
        *("192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
        *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
        *("100.100.100.200", "::", "::1", "::7f00:1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1"),
        *("64:ff9b::a00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1"),
        *("2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "fc00::1", "fd00:ec2::254"),
        *("fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "3fff::1", "5f00::1", "nonsense", ""),
    ],
)
def test_an_address_that_not_everybody_can_reach_is_refused(address):
    with pytest.raises(TargetRefusedError):
        check_address(address)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808"],
)
def test_an_address_that_everybody_can_reach_is_taken(address):
    check_address(address)


def test_one_address_inside_is_enough_to_refuse_a_name():
    target = target_of("https://app.example.com", anywhere=False)

    assert addresses_of(target, lambda *_: ["8.8.8.8", "1.1.1.1"], anywhere=False)
    with pytest.raises(TargetRefusedError):
        addresses_of(target, lambda *_: ["8.8.8.8", "10.0.0.1"], anywhere=False)
    with pytest.raises(OSError, match="no address"):
        addresses_of(target, lambda *_: [], anywhere=False)


def test_a_name_is_looked_up_where_all_look():
    assert "127.0.0.1" in resolved("127.0.0.1", 443)
