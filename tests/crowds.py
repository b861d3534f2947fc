"""Requests that are sent but for their last byte, so that many arrive at the same instant."""

import json

from tests.contract.spec import Answer, contract
from tests.wires import Raw, Wire


class Client:
    """One request to *address*, whose last byte is kept back."""

    def __init__(self, address, method, target, token=None, body=None):
        self._asked = method, target
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {target} HTTP/1.1", "Host: here", f"Content-Length: {len(data)}"]
        lines += [] if body is None else ["Content-Type: application/json"]
        lines += [] if token is None else [f"Authorization: Bearer {token}"]
        *most, last = "\r\n".join([*lines, "", ""]).encode() + data
        self._wire, self._last = Wire(address), bytes([last])
        self._wire.send(bytes(most))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._wire.__exit__()

    def finish(self):
        """Send the last byte, and return the answer, which keeps to the contract.

        Its status is 0 if the connection was closed without one.
        """
        try:
            self._wire.send(self._last)
        except ConnectionError:
            return Raw(0, {}, b"")
        raw = self._wire.answer()
        if raw.status == 0:
            return raw
        answer = Answer(*self._asked, raw.status, raw.headers, raw.body)
        assert contract().problems(answer) == [], raw.body
        return raw


def outcome_of(answer):
    is_problem = answer.headers["Content-Type"] == "application/problem+json"
    return (answer.status, answer.code) if is_problem else answer.status
