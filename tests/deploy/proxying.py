"""The proxy with the configuration that ships, at ports and in a folder of a test's own."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from typing import NamedTuple

from requests.structures import CaseInsensitiveDict

from service import tether
from tests.deploy.addresses import ROOT, free_port
from tests.processes import eventually

CONFIGURATION = ROOT / "deploy" / "proxy.conf"
UNPACKED = ROOT / ".cache" / "debian-nginx" / "nginx"
BODY_SECONDS = 1
SECONDS = 20


def nginx():
    """Return the nginx to test with, or None."""
    found = os.environ.get("HEARTS_TEST_NGINX") or shutil.which("nginx", path=_path())
    return found or (str(UNPACKED) if UNPACKED.exists() else None)


def _path():
    return f"{os.environ['PATH']}:/usr/sbin"


def make_certificate(folder):
    """Make a certificate for 127.0.0.1 and its key, under the names of the secrets."""
    certificate = folder / "tls_certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(folder / "tls_key.pem"), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return certificate


def configuration(folder, port, api, stream):
    """Return the shipped configuration with its places and addresses exchanged."""
    text = CONFIGURATION.read_text()
    for theirs, ours in {
        " /tmp/": f" {folder}/",
        "/dev/stdout": f"{folder}/access.log",
        "/run/secrets/": f"{folder}/",
        "listen 8443": f"listen 127.0.0.1:{port}",
        "127.0.0.1:8081": f"127.0.0.1:{free_port()}",
        " api:8000": f" {api}",
        " stream:8000": f" {stream}",
        "client_body_timeout 10s": f"client_body_timeout {BODY_SECONDS}s",
    }.items():
        assert theirs in text, f"the proxy's configuration no longer has {theirs!r}"
        text = text.replace(theirs, ours)
    return text


class Proxy:
    """nginx in *folder*, which has the certificate, before the addresses *api* and *stream*."""

    def __init__(self, folder, api, stream):
        self.folder, self.port = folder, free_port()
        self.address = f"https://127.0.0.1:{self.port}"
        self.certificate = folder / "tls_certificate.pem"
        self.context = ssl.create_default_context(cafile=self.certificate)
        file = folder / "proxy.conf"
        file.write_text(configuration(folder, self.port, api, stream))
        # Tied to this process: a run that is killed leaves nothing behind.
        tied = [sys.executable, "-I", tether.__file__, str(os.getpid())]
        alone = "daemon off; master_process off;"
        with (folder / "error.log").open("wb") as log:
            self.process = subprocess.Popen(
                [*tied, nginx(), "-p", str(folder), "-c", str(file), "-g", alone], stderr=log
            )
        eventually(self.listens)

    def listens(self):
        assert self.process.poll() is None, (self.folder / "error.log").read_text()
        with suppress(OSError):
            self.plain().close()
            return True
        return False

    def plain(self):
        return socket.create_connection(("127.0.0.1", self.port), SECONDS)

    def connect(self):
        return self.context.wrap_socket(self.plain(), server_hostname="127.0.0.1")

    def log(self):
        return (self.folder / "access.log").read_text()

    def close(self):
        self.process.terminate()
        self.process.wait(SECONDS)


class Raw(NamedTuple):
    """An answer as it came; *status* is 0 if the connection was closed without one."""

    status: int
    headers: CaseInsensitiveDict
    body: bytes
    seconds: float

    @property
    def json(self):
        return json.loads(self.body)


def ask(connection, *parts):
    """Send *parts* and return the answer."""
    began = time.monotonic()
    with suppress(OSError):  # it may be refused before all was sent
        for part in parts:
            connection.sendall(part)
    with connection.makefile("rb") as file:
        try:
            line = file.readline()
        except ConnectionError:
            line = b""
        if not line:
            return Raw(0, CaseInsensitiveDict(), b"", time.monotonic() - began)
        headers = CaseInsensitiveDict()
        while (header := file.readline().rstrip(b"\r\n")) != b"":
            name, _, value = header.decode("latin-1").partition(":")
            headers[name] = value.strip()
        body = file.read(int(headers.get("Content-Length", 0)))
    return Raw(int(line.split()[1]), headers, body, time.monotonic() - began)
