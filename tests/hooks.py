"""Targets of webhooks on loopback, with TLS of an authority of their own, good and hostile."""

import socket
import ssl
import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from service.keyring import Keyring
from service.webhooks.sending import Sender
from tests.tables import KEYS

HOST = "hooks.example.com"
APP_KEY = Keyring([KEYS[0].encode()]).app_key("shop", "0" * 12)
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


def answer(status, *headers, body=b""):
    """Return the bytes of an answer."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Authority:
    """Signs certificates; *file* holds its own, which *contexts* trust."""

    def __init__(self, folder):
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("an authority of tests")
        builder = _builder(self._name, self._name, self._key.public_key())
        builder = builder.add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.file = folder / "authority.pem"
        self.file.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def trusting(self):
        """Return what a client that trusts this authority, and no other, asks with."""
        return ssl.create_default_context(cafile=str(self.file))

    def serving(self, host):
        """Return what a server for *host* answers with."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name(host), self._name, key.public_key())
        names = x509.SubjectAlternativeName([x509.DNSName(host)])
        certificate = builder.add_extension(names, critical=False).sign(self._key, hashes.SHA256())
        file = self._folder / f"{host}.pem"
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(subject, issuer, key):
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )


class Target:
    """A server that answers each request with what *say* returns for it.

    *say* is given method and path, headers by lower-case name, and body; it returns bytes, or
    is a generator of them, each sent at once. *asked* has what came, *port* is where it listens.
    """

    def __init__(self, say, context=None):
        self.asked = []
        self.connected = 0
        self._say = say
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open = []
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                found, _ = self._listener.accept()
                self.connected += 1
                self._open.append(found)
                threading.Thread(target=self._serve, args=[found], daemon=True).start()

    def _serve(self, plain):
        with suppress(OSError, ValueError):
            found = plain
            if self._context is not None:
                found = self._context.wrap_socket(plain, server_side=True)
                self._open.append(found)
            with found, found.makefile("rb") as reader:
                request = _read(reader)
                self.asked.append(request)
                said = self._say(*request)
                for part in [said] if isinstance(said, bytes) else said:
                    found.sendall(part)

    def close(self):
        self._listener.close()
        for one in self._open:
            with suppress(OSError):
                one.close()


def _read(reader):
    method, path, _ = reader.readline().decode().split()
    headers = {}
    while line := reader.readline().strip():
        name, _, value = line.decode().partition(": ")
        headers[name.lower()] = value
    return method, path, headers, reader.read(int(headers.get("content-length", 0)))


@contextmanager
def target(say=lambda *_: OK, context=None):
    """Run a target."""
    found = Target(say, context)
    try:
        yield found
    finally:
        found.close()


def sender(authority, *addresses, seconds=10, anywhere=True):
    """Return what sends with *authority* as the only one, to *addresses* whatever the name."""
    found = addresses or ("127.0.0.1",)
    return Sender(
        anywhere=anywhere,
        resolve=lambda *_: found,
        seconds=seconds,
        context=authority.trusting(),
    )
