"""The fuzzer: the contract as schemathesis reads it, and the tokens it works with."""

from collections import defaultdict
from pathlib import Path

import schemathesis
from requests.structures import CaseInsensitiveDict
from schemathesis.config import SchemathesisConfig
from schemathesis.openapi.checks import RejectedPositiveData

from service.keyring import Keyring
from tests.contract.spec import PATH, Answer, contract
from tests.tables import KEYS, Api

CONFIG = Path(__file__).with_name("schemathesis.toml")

TOKENS = {"host_token", "seat_token"}

BAD_REQUEST = 400

LONGEST_WAIT = 25


@schemathesis.serializer("application/x-ndjson", "text/x-hgn")
def as_text(_, value):
    """Return the bytes of a file; what the fuzzer makes is text already, or is made to be."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


class Purse:
    """The tokens that answers have brought, by game, and the key of an application."""

    def __init__(self):
        secret = Keyring([KEYS[0].encode()])
        self._key = secret.app_key("fuzzer", "0" * 12)
        self.empty()

    def empty(self):
        """Forget everything."""
        self._hosts = {}
        self._seats = defaultdict(dict)
        self._asked = 0

    def remember(self, answer):
        """Keep the tokens of *answer*; a later one of the same host or seat takes their place."""
        game_id = answer.get("id") or answer["game_id"]
        if answer.get("host_token"):
            self._hosts[game_id] = answer["host_token"]
        if answer.get("seat_token"):
            self._seats[game_id][answer["seat"]] = answer["seat_token"]

    def seats(self, game_id):
        """Return the tokens of the seats of a game, by seat."""
        return dict(self._seats.get(game_id, {}))

    def token(self, schemes, game_id, seat):
        """Return a token of one of *schemes*, of this game and seat if there is one.

        None in *schemes* is for coming without a token; the schemes take turns.
        """
        self._asked += 1
        scheme = schemes[self._asked % len(schemes)]
        if scheme == "applicationKey":
            return self._key
        if scheme == "hostToken":
            return self._hosts.get(game_id) or _last(self._hosts)
        if scheme == "seatToken":
            seats = self._seats.get(game_id) or _last(self._seats) or {}
            return seats.get(seat) or _last(seats)
        return None


class Fuzzer:
    """The schema that makes requests, with the purse their answers fill.

    *reached* has the operations that were done, each with the status of the answer,
    *kept_apart* those that another seat was seen to be refused.
    """

    def __init__(self):
        config = SchemathesisConfig.from_path(CONFIG)
        self.schema = schemathesis.openapi.from_path(PATH, config=config)
        self.purse = purse = Purse()
        self.reached = set()
        self.kept_apart = set()

        # As the fuzzer's own credential: it could not tell an ignored token in a set header.
        @self.schema.auth(refresh_interval=None)
        class Tokens:
            def get(self, case, _):
                schemes = [next(iter(one), None) for one in definition(case)["security"]]
                known = case.path_parameters or {}
                if not schemes:
                    return None
                return purse.token(schemes, known.get("game_id"), known.get("seat"))

            def set(self, case, data, _):
                case.headers["Authorization"] = f"Bearer {data}"

        @self.schema.hook
        def filter_failure(_, failure, __, response):
            return not is_excused(failure, response)

    def prepare(self, case):
        """Keep *case* from waiting: that holds the fuzzer up, and whole games wait enough."""
        if case.query.get("wait") in range(1, LONGEST_WAIT + 1):
            case.query["wait"] = 0
        if "wait" in str((case.headers or {}).get("Prefer", "")).lower():
            case.headers["Prefer"] = "wait=0"

    def learn(self, response, case):
        """Keep what *response* brings: its tokens, and how far this went."""
        operation_id = definition(case)["operationId"]
        self.reached.add((operation_id, response.status_code))
        if response.headers.get("content-type") == ["application/json"]:
            answer = response.json()
            if TOKENS & answer.keys():
                self.purse.remember(answer)

    def _another_seat(self, game_id):
        """Let somebody sit down, if there is room, and return the token by seat."""
        target = f"/v1/games/{game_id}/seats/claim"
        claimed = Api(self.schema.app).ask("POST", target, body={"name": "Eve"})
        if claimed.status_code >= BAD_REQUEST:
            return {}
        self.purse.remember(claimed.json)
        return {claimed.json["seat"]: claimed.json["seat_token"]}

    def keeps_seats_apart(self, _, response, case):
        """Check that what a seat's token may read or do, that of another seat may not.

        The fuzzer's own check of this wants users that are known beforehand; here a user
        is whoever has claimed a seat.
        """
        known = case.path_parameters or {}
        seats = self.purse.seats(known.get("game_id"))
        given = (case.headers or {}).get("Authorization", "").removeprefix("Bearer ")
        owner = next((seat for seat, token in seats.items() if token == given), None)
        if response.status_code >= BAD_REQUEST or owner is None:
            return
        seats |= self._another_seat(known["game_id"]) if len(seats) == 1 else {}
        other = next((seat for seat in seats if seat != owner), None)
        if other is None:
            return
        api, target = Api(self.schema.app), response.request.path_url
        if case.method == "GET":
            answer = api.ask("GET", target, seats[other])
            assert not foreign_secrets(answer, other), f"seat {other} is shown another's secrets"
            self.kept_apart.add(definition(case)["operationId"])
        elif "seat" in known:
            body = case.body if isinstance(case.body, dict) else None
            api.ask(case.method, target, seats[other], body, expect=(403, "wrong_seat"))
            self.kept_apart.add(definition(case)["operationId"])


def foreign_secrets(answer, seat):
    """Return what *answer*, asked for with the token of *seat*, shows of other seats alone."""
    if answer.status_code >= BAD_REQUEST or answer.content_type != "application/json":
        return []
    data = answer.json
    states = [data, *(one.get("state") or {} for one in data.get("items", []))]
    events = [
        data,
        *data.get("items", []),
        *(one.get("event", {}) for one in data.get("items", [])),
    ]
    views = [state["view"] for state in states if state.get("you")]
    return [
        *(view for view in views if view["seat"] != seat),
        *(
            event["private"]
            for event in events
            # What is hidden from nobody is open to all.
            if event.get("hidden") and event["private"].keys() - {str(seat)}
        ),
    ]


def definition(case):
    return case.operation.definition.raw


def is_excused(failure, response):
    """Whether no schema could have said that a sound request would be refused.

    Only the service knows its cursors, only a game how many seats it has, and only a calendar
    which days there are.
    """
    if not isinstance(failure, RejectedPositiveData) or response.status_code != BAD_REQUEST:
        return False
    wrong = [(one["parameter"], one["code"]) for one in response.json().get("errors", [])]
    unknowable = {"cursor", "as", "created_after", "created_before", "last_event_after"}
    unknowable |= {"since", "until"}
    return bool(wrong) and all(one in unknowable and code == "invalid" for one, code in wrong)


def keeps_to_the_contract(_, response, case):
    """Check an answer as all other tests do; it knows more than the checks of the fuzzer."""
    request = response.request
    headers = CaseInsensitiveDict(
        {name: ", ".join(values) for name, values in response.headers.items()}
    )
    answer = Answer(
        request.method, request.path_url, response.status_code, headers, response.content
    )
    problems = contract().problems(answer)
    assert not problems, "\n".join(problems)


def _last(found):
    return found[next(reversed(found))] if found else None
