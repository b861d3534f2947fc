"""Signatures as receivers verify them: with the library of the standard, and as docs say."""

import base64
import time

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks import Webhook, WebhookVerificationError

from service.keyring import Keyring, MissingKeyError
from service.webhooks.signing import ED25519, HMAC, headers_of, shown_key

BODY = '{"type":"webhook.test","data":{}}'
FIRST, SECOND = b"1" * 32, b"2" * 32


def test_the_library_of_the_standard_verifies_hmac():
    headers = headers_of(HMAC, [FIRST], "msg_1", int(time.time()), BODY)

    assert Webhook(shown_key(HMAC, FIRST)).verify(BODY, headers)["type"] == "webhook.test"
    with pytest.raises(WebhookVerificationError):
        Webhook(shown_key(HMAC, SECOND)).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(shown_key(HMAC, FIRST)).verify(BODY + " ", headers)


def test_during_a_rotation_either_secret_verifies():
    headers = headers_of(HMAC, [SECOND, FIRST], "msg_1", int(time.time()), BODY)

    for secret in (FIRST, SECOND):
        Webhook(shown_key(HMAC, secret)).verify(BODY, headers)


def verify(public_key, headers, body):
    """Verify as a receiver does that has nothing but the text of the standard."""
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    for one in headers["webhook-signature"].split():
        version, _, signature = one.partition(",")
        assert version == "v1a"
        try:
            return key.verify(base64.b64decode(signature), signed)
        except InvalidSignature:
            continue
    raise InvalidSignature


def test_ed25519_is_verified_with_the_public_key_alone():
    headers = headers_of(ED25519, [FIRST], "msg_1", 1_795_975_348, BODY)

    verify(shown_key(ED25519, FIRST), headers, BODY)
    for changed in (
        {"webhook-id": "msg_2"},
        {"webhook-timestamp": "1795975349"},
        {"webhook-signature": headers_of(ED25519, [SECOND], "msg_1", 1, BODY)["webhook-signature"]},
    ):
        with pytest.raises(InvalidSignature):
            verify(shown_key(ED25519, FIRST), headers | changed, BODY)
    with pytest.raises(InvalidSignature):
        verify(shown_key(ED25519, FIRST), headers, BODY + " ")


def test_during_a_rotation_either_key_verifies():
    headers = headers_of(ED25519, [SECOND, FIRST], "msg_1", 1_795_975_348, BODY)

    for secret in (FIRST, SECOND):
        verify(shown_key(ED25519, secret), headers, BODY)


def test_a_key_belongs_to_one_endpoint_one_making_one_generation_and_one_secret():
    ring = Keyring([b"new" * 12, b"old" * 12])
    secrets = {
        ring.webhook_secret(endpoint, created_at, generation, key_id)
        for endpoint in ("whe_1", "whe_2")
        for created_at in (7, 8)
        for generation in (1, 2)
        for key_id in ring.key_ids
    }

    assert len(secrets) == 16
    assert all(len(secret) == 32 for secret in secrets)
    with pytest.raises(MissingKeyError):
        ring.webhook_secret("whe_1", 7, 1, "00000000")
