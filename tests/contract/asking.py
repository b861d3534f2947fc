"""HTTP as the tests speak it: to the app in this process, or to an address.

Whatever is answered is held to the contract before anybody looks at it.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import requests

from tests.contract.spec import validate

SECONDS = 40


class Reply(NamedTuple):
    """An answer that keeps to the contract."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return self.json["code"]

    @property
    def is_replay(self) -> bool:
        return self.headers.get("Idempotency-Replayed") == "true"


class Service:
    """A service to ask; *send* takes method, target, headers and the bytes of a body."""

    def __init__(self, send):
        self._send = send

    def ask(self, method, target, *, token=None, body=None, key=None, tag=None, status=None):
        """Return the answer, which has the *status* if one is named.

        *tag* goes into If-None-Match of a GET and into If-Match of anything else.
        """
        headers = {} if body is None else {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if tag is not None:
            headers["If-None-Match" if method == "GET" else "If-Match"] = tag
        data = None if body is None else json.dumps(body).encode()
        reply = self._send(method, target, headers, data)
        shown = f"{method} {target} {body}: {reply.status} {reply.body.decode()[:2000]}"
        assert status in {None, reply.status}, shown
        return reply

    def verify(self, file, media_type):
        """Return the report on *file*, the bytes of a game."""
        return self._file("/v1/verifications", file, media_type, 200)

    def take_in(self, file, media_type):
        """Return the copy that is made of *file*, the bytes of a game."""
        return self._file("/v1/imports", file, media_type, 201)

    def _file(self, target, file, media_type, status):
        reply = self._send("POST", target, {"Content-Type": media_type}, file)
        assert reply.status == status, reply.body
        return reply.json


def in_process(app) -> Service:
    client = app.test_client()

    def send(method, target, headers, data):
        answer = validate(client.open(target, method=method, headers=headers, data=data))
        return Reply(answer.status_code, answer.headers, answer.get_data())

    return Service(send)


def at(address, verify=True) -> Service:
    """Return the service at *address*; *verify* names the certificate of one with its own."""
    session = requests.Session()
    session.trust_env, session.verify = False, verify

    def send(method, target, headers, data):
        answer = session.request(
            method, address + target, headers=headers, data=data, timeout=SECONDS
        )
        validate(answer)
        return Reply(answer.status_code, answer.headers, answer.content)

    return Service(send)
