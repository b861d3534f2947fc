"""`hearts demo`: one whole game over HTTP in front of your eyes, and then its log checked.

It knows nothing of the service but its address, and uses nothing but the standard library
to reach it. Without an address it starts a service of its own, on a free port, and takes
that and its data away again afterwards.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from http import HTTPStatus
from http.client import HTTPException
from typing import Final

from service import tether
from service.answers import refusal_of, whole
from service.audit import Plain, disagreements
from service.embedded import CannotStartError
from service.sources import shown

_TARGET: Final = 50
_SEAT: Final = 0
_SEATS: Final = [
    {"kind": "human"},
    {"kind": "bot", "level": "random", "name": "random"},
    {"kind": "bot", "level": "easy", "name": "easy"},
    {"kind": "bot", "level": "medium", "name": "medium"},
]
_RANKS: Final = "23456789TJQKA"
_TRIES: Final = 5
_PAUSE_SECONDS: Final = 1
_WAIT_SECONDS: Final = 20
_ANSWERS_WITHIN_SECONDS: Final = 40
_ENDS_WITHIN_SECONDS: Final = 30
_MOST_BYTES: Final = 16 * 1024 * 1024
_NO_SENSE: Final = (AttributeError, LookupError, TypeError, ValueError, RecursionError)


def run(url: str | None) -> int:
    """Play one game at *url*, at a service of its own for None; return the exit code.

    It is 0 if the log and the state of the game agree, else 1.

    Raises:
        CannotStartError: No service answers.
    """
    try:
        with _own_service() if url is None else nullcontext(url.rstrip("/")) as address:
            return _play_at(address)
    except KeyboardInterrupt:
        print()
        return 1


def _play_at(address: str) -> int:
    try:
        return _Demo(_Service(address)).run()
    except _NO_SENSE as exc:
        raise CannotStartError(f"{address} does not answer as such a service does") from exc


@contextmanager
def _own_service() -> Iterator[str]:
    """Run a service on a free port with a data folder of its own, and give its address."""
    _say("starting a service for this demo…")
    command = [sys.executable, "-P", "-m", "service", "up"]
    with tempfile.TemporaryDirectory(prefix="hearts-demo-") as folder:
        inherited = {name: value for name, value in os.environ.items() if name[:7] != "HEARTS_"}
        environ = {"HEARTS_DATA_DIR": folder, "HEARTS_PORT": "0", "HEARTS_LOG_LEVEL": "warning"}
        process = tether.start(command, inherited | environ, output=subprocess.PIPE)
        try:
            yield _address(process)
        finally:
            process.terminate()
            process.communicate(timeout=_ENDS_WITHIN_SECONDS)


def _address(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None, "it is piped"
    for line in process.stdout:
        if found := re.search(rb"serving on (http\S+)", line):
            return found[1].decode()
    raise CannotStartError("the demo's service ended at once; what it said stands above")


class _Service:
    """The service at *address*, asked until it answers."""

    def __init__(self, address: str) -> None:
        if not re.match("https?://", address):
            raise CannotStartError(f"{address} is no address such as http://127.0.0.1:8000")
        self._address = address
        # The service is here; a proxy set for the world outside would not find it.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(self, method: str, path: str, token: str | None = None, body: object = None) -> Plain:
        """Return the answer, or the problem if the rules refuse.

        Raises:
            CannotStartError: Nobody answers, or with something else.
        """
        request, reason = self._request(method, path, token, body), ""
        for _ in range(_TRIES):
            try:
                with self._opener.open(request, timeout=_ANSWERS_WITHIN_SECONDS) as answer:
                    return _plain(whole(answer, _MOST_BYTES))
            except urllib.error.HTTPError as refusal:
                said = refusal_of(refusal, _MOST_BYTES)
                if refusal.code == HTTPStatus.CONFLICT:
                    return _plain(said)
                reason = f"{refusal.code} {said.decode(errors='replace')}"
                if refusal.code != HTTPStatus.SERVICE_UNAVAILABLE:
                    break
            except (OSError, HTTPException) as exc:
                reason = str(exc)
            time.sleep(_PAUSE_SECONDS)
        raise CannotStartError(f"{method} {request.full_url}: {reason}")

    def _request(
        self, method: str, path: str, token: str | None, body: object
    ) -> urllib.request.Request:
        headers = {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if method != "GET":
            # With it, asking again is harmless.
            headers["Idempotency-Key"] = secrets.token_urlsafe(24)
        data = None if body is None else json.dumps(body).encode()
        url = f"{self._address}/v1{path}"
        return urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - checked above


class _Demo:
    """One game: its path, the token of the scripted seat, and how far the log was shown."""

    def __init__(self, service: _Service) -> None:
        self._service = service
        self._seen = 0
        self._queen = self._shooter = -1
        body = {
            "rules": {"preset": "standard", "ending": {"target": _TARGET}},
            "seats": _SEATS,
            "claim": {"seat": _SEAT, "name": "script"},
        }
        made = service.ask("POST", "/games", None, body)
        self._path, self._token = f"/games/{made['id']}", made["seat_token"]
        self._names = [seat["name"] for seat in made["game"]["seats"]]
        _say(f"game {made['id']}: {', '.join(self._names)}, to {_TARGET} points")
        seed = {"client_seed": secrets.token_hex(32)}
        service.ask("PATCH", f"{self._path}/seats/{_SEAT}", self._token, seed)
        service.ask("POST", f"{self._path}/start", made["host_token"])

    def run(self) -> int:
        """Play to the end, check the log, and return the exit code."""
        state = self._play()
        self._show_result(state)
        log = self._log()
        wrong = disagreements(log, state)
        if wrong:
            _say("log and state do NOT agree:\n  " + "\n  ".join(wrong))
            return 1
        deals = sum(event["type"] == "deal.scored" for event in log)
        _say(f"{len(log)} events read back, {deals} deals dealt again from the opened links")
        _say("log and state agree")
        return 0

    def _play(self) -> Plain:
        """Play the scripted seat until the game is over, and return its last state."""
        while True:
            state = self._service.ask("GET", self._path, self._token)
            self._show_news()
            if state["result"] is not None:
                return state
            if state["you"]["to_act"]:
                move = {**_choice(state["you"]), "turn_id": state["turn"]["id"]}
                self._service.ask("POST", f"{self._path}/moves", self._token, move)
            else:
                waiting = f"/events?after={state['version']}&wait={_WAIT_SECONDS}"
                self._service.ask("GET", self._path + waiting, self._token)

    def _log(self) -> list[Plain]:
        """Return the whole log, with everybody's cards."""
        log: list[Plain] = []
        while True:
            page = self._service.ask(
                "GET", f"{self._path}/events?as=all&after={len(log)}&limit=500"
            )
            log += page["items"]
            if not page["has_more"]:
                return log

    def _show_news(self) -> None:
        page = self._service.ask("GET", f"{self._path}/events?after={self._seen}&limit=500")
        self._seen = page["next_after"]
        for event in page["items"]:
            self._show(event["type"], event["data"])

    def _show(self, kind: str, data: Plain) -> None:
        match kind:
            case "deal.dealt":
                self._queen = self._shooter = -1
                way = f"pass {data['pass']}" if data["pass_count"] else "no pass"
                _say(f"deal {data['deal']}, {way} ", end="")
            case "trick.completed":
                self._queen = data["winner"] if "QS" in data["cards"] else self._queen
                _say(".", end="")
            case "moon.shot":
                self._shooter = data["seat"]
            case "deal.scored":
                self._show_deal(data)
            case _:
                pass

    def _show_deal(self, data: Plain) -> None:
        _say("")
        for seat, name in enumerate(self._names):
            queen = "the queen of spades" if seat == self._queen else ""
            moon = "shot the moon" if seat == self._shooter else ""
            points, total = data["points"][seat], data["totals"][seat]
            _say(f"  {name:<8} {points:>+4} {total:>4}  {moon or queen}".rstrip())

    def _show_result(self, state: Plain) -> None:
        result = state["result"]
        rows = zip(result["places"], self._names, result["totals"], strict=True)
        _say("the end")
        for place, name, total in sorted(rows):
            _say(f"  {place}. {name:<8} {total:>4}")


def _plain(text: bytes) -> Plain:
    answer: Plain = json.loads(text)
    return answer


def _choice(you: Plain) -> Plain:
    """Return the move of the script: of the cards it may play, the lowest."""
    moves: list[Plain] = you["legal_moves"]
    if moves[0]["type"] != "play":
        return moves[0]
    return min(moves, key=lambda move: _RANKS.index(move["card"][0]))


def _say(text: str, end: str = "\n") -> None:
    print(shown(text, sys.stdout.encoding), end=end, flush=True)
