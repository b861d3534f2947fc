"""A receiver of webhooks: `python3 docs/webhook.py whpk_… 8080`, or `whsec_…`.

It believes a message only if it is signed, fresh and new, and answers before it works. Put
TLS in front. It needs `cryptography`, for public keys.
"""

import base64
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE = 300  # seconds
SEEN = set()  # in a database of yours, so that a restart does not forget it


def is_signed(key, headers, body):
    """Return whether *body*, bytes, is a fresh message signed with *key*."""
    moment = headers["webhook-timestamp"]
    if not moment.isdigit() or abs(time.time() - int(moment)) > TOLERANCE:
        return False
    signed = f"{headers['webhook-id']}.{moment}.".encode() + body
    # While a key is replaced, there is one signature of each.
    signatures = [one.partition(",") for one in headers["webhook-signature"].split()]
    return any(verify(key, version, signed, signature) for version, _, signature in signatures)


def verify(key, version, signed, signature):
    """Return whether one *signature*, in base64, is that of *key*."""
    kind, _, value = key.partition("_")
    raw = base64.b64decode(value)
    if (kind, version) == ("whsec", "v1"):
        mine = hmac.digest(raw, signed, "sha256")
        return hmac.compare_digest(mine, base64.b64decode(signature))
    if (kind, version) == ("whpk", "v1a"):
        try:
            Ed25519PublicKey.from_public_bytes(raw).verify(base64.b64decode(signature), signed)
        except InvalidSignature:
            return False
        return True
    return False


class Receiver(BaseHTTPRequestHandler):
    """Answers POST; *key* is the endpoint's."""

    key = ""

    def do_POST(self):
        """Take a message."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            is_ours = is_signed(self.key, self.headers, body)
        except (AttributeError, ValueError):  # a header is missing, or no base64
            is_ours = False
        self.send_response(204 if is_ours else 401)
        self.end_headers()
        name = self.headers["webhook-id"]
        if is_ours and name not in SEEN:
            SEEN.add(name)
            message = json.loads(body)
            print(message["type"], message["data"], flush=True)  # push it to a phone here


if __name__ == "__main__":
    Receiver.key = sys.argv[1]
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver)
    print(f"listening at {server.server_port}", flush=True)
    server.serve_forever()
