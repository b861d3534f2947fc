"""Keys of endpoints and signatures of messages, as Standard Webhooks has them.

A key follows from the app's secret, the endpoint's id and its generation; it is stored
nowhere and never logged. HMAC is the library's; ed25519, which it does not know, signs the
same text.

Source: Standard Webhooks 1.0, "Signature scheme"; docs/webhooks.md.
"""

import base64
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from standardwebhooks import Webhook

ED25519: Final = "ed25519"
HMAC: Final = "hmac"
SCHEMES: Final = (ED25519, HMAC)


def shown_key(scheme: str, secret: bytes) -> str:
    """Return what a receiver verifies with: ``whpk_…`` with ed25519, else ``whsec_…``.

    *secret* has 32 bytes. With HMAC it is what is returned, and nobody else may see it.
    """
    if scheme == HMAC:
        return f"whsec_{_base64(secret)}"
    public = Ed25519PrivateKey.from_private_bytes(secret).public_key()
    return f"whpk_{_base64(public.public_bytes_raw())}"


def headers_of(
    scheme: str, secrets: Sequence[bytes], message_id: str, at: int, body: str
) -> dict[str, str]:
    """Return the headers that name and sign the message at *at*, in seconds since the epoch.

    There is one signature for each of *secrets*, the key in force first.
    """
    signatures = [_signature(scheme, secret, message_id, at, body) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(signatures),
    }


def _signature(scheme: str, secret: bytes, message_id: str, at: int, body: str) -> str:
    if scheme == HMAC:
        return Webhook(secret).sign(message_id, datetime.fromtimestamp(at, UTC), body)
    key = Ed25519PrivateKey.from_private_bytes(secret)
    return f"v1a,{_base64(key.sign(f'{message_id}.{at}.{body}'.encode()))}"


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
