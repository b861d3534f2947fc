"""The examples of the contract are sound, and the service takes those of requests."""

import re

import pytest

from service.keyring import Keyring
from service.problems import HELP
from tests.contract.drift import example_drift
from tests.contract.spec import contract
from tests.tables import KEYS, Api, make_app

# What a sound request may meet where the cards and the moment are others than in the example.
TAKEN = {200, 201, 202, 204, 304, 409}

KEY = Keyring([KEYS[0].encode()]).app_key("examples", "0" * 12)


class Table:
    """The game of the examples: seat 0 claimed in the call, the others later, then started."""

    def __init__(self, api):
        self.api = api
        example = requests_of("createGame")["table_of_four"]
        made = api.ask("POST", "/v1/games", body=example, expect=201).json
        self.path = f"/v1/games/{made['id']}"
        self.id = made["id"]
        self.tokens = {"host": made["host_token"], 0: made["seat_token"]}

    def seed(self):
        body = requests_of("updateSeat")["seed"]
        self.api.ask("PATCH", f"{self.path}/seats/0", self.tokens[0], body, expect=200)
        return self

    def fill(self):
        for seat, name in [(1, "name_only"), (2, "with_seed")]:
            body = requests_of("claimSeat")[name]
            target = f"{self.path}/seats/{seat}/claim"
            self.tokens[seat] = self.api.ask("POST", target, body=body).json["seat_token"]
        return self

    def start(self):
        body = requests_of("startGame")["guarded"]
        self.api.ask("POST", f"{self.path}/start", self.tokens["host"], body, expect=200)
        return self

    def token(self, operation, body=None):
        """Return the token that *operation* needs for *body*, or would show most with."""
        schemes = {name for one in operation.definition["security"] for name in one}
        if schemes == {"applicationKey"}:
            return KEY
        if operation.id == "updateSeat" and body.keys() & {"kind", "kick", "reissue"}:
            return self.tokens["host"]
        return self.tokens[0 if "seatToken" in schemes else "host"] if schemes else None


def requests_of(operation_id):
    """Return the examples of the body that the operation takes, by name."""
    body = contract().operation(operation_id).definition["requestBody"]
    return {
        name: contract().resolve(example)["value"]
        for name, example in body["content"]["application/json"]["examples"].items()
    }


BODIES = [
    pytest.param(operation, body, id=f"{operation.id} {name}")
    for operation in contract().operations
    if contract().request_schema(operation)
    for name, body in requests_of(operation.id).items()
]

READS = [one for one in contract().operations if one.method == "GET"]


@pytest.fixture(scope="module")
def api(redis_url):
    return Api(make_app(redis_url))


@pytest.fixture
def lobby(api):
    return Table(api)


def test_every_example_fits_its_schema():
    assert example_drift(contract()) == []


def test_the_story_of_the_examples_can_be_played(lobby):
    """Down to its version numbers: 5 before the start, 7 when the cards are dealt."""
    table = lobby.seed().fill().start()

    state = table.api.ask("GET", table.path, table.tokens[2]).json
    assert state["version"] == 7
    assert state["turn"]["id"] == requests_of("makeMove")["pass"]["turn_id"]
    assert [one["name"] for one in state["seats"]] == ["Ana", "Bea", "Cid", "Robo"]


@pytest.mark.parametrize(("operation", "body"), BODIES)
def test_an_example_of_a_body_is_taken(lobby, operation, body):
    table = lobby if operation.id.startswith(("claim", "update")) else lobby.seed().fill()
    if operation.id in {"makeMove", "forkGame", "changeControl"}:
        table.start()
    if operation.id == "forkGame":
        table.api.ask("POST", f"{table.path}/abort", table.tokens["host"], expect=200)

    target = address(operation, table)
    answer = table.api.ask(operation.method, target, table.token(operation, body), body)

    # A rematch and an analysis wait for the end of a game; hints are for tables that want them.
    may_conflict = operation.id in {"makeMove", "takeHint", "rematchGame", "analyseGame"}
    assert answer.status_code in (TAKEN if may_conflict else TAKEN - {409})


@pytest.mark.parametrize("operation", READS, ids=lambda one: one.id)
def test_the_examples_of_parameters_are_taken(lobby, operation):
    table = lobby.seed().fill().start()
    parameters = [one for one in contract().parameters(operation) if "example" in one]
    given = [sent(one) for one in parameters if one["in"] == "query"]
    query = {name: values for one in given for name, values in one.items()}
    headers = {one["name"]: one["example"] for one in parameters if one["in"] == "header"}

    answer = table.api.ask(
        "GET",
        address(operation, table),
        table.token(operation),
        query_string=query,
        headers=headers,
    )

    # Nobody works for the service that is only half here, and the table is not as old.
    elsewhere = {"getReadiness": 503, "getDealProof": 409, "getAnalysis": 404}
    assert answer.status_code in TAKEN - {409} | {elsewhere.get(operation.id)}


def address(operation, table):
    """Return the path of *operation* with the examples of its parameters, at *table*."""
    values = {one["name"]: one.get("example") for one in contract().parameters(operation)}
    values |= {"game_id": table.id, "version": 7, "seq": 7}
    if "endpoint_id" in values:
        values |= endpoint_of(table.api)
    if operation.id in {"updateSeat", "releaseSeat", "changeControl", "rotateSeatToken"}:
        values["seat"] = 0
    return re.sub(r"\{([a-z_]+)\}", lambda found: str(values[found[1]]), operation.path)


def endpoint_of(api):
    """Return the ids of the one endpoint of the examples, and of what was sent to it."""
    (body,) = requests_of("createWebhookEndpoint").values()
    key = "examples" * 3
    target = "/v1/webhook-endpoints"
    made = api.ask("POST", target, KEY, body, key=key, expect=201).json
    tried = api.ask("POST", f"{target}/{made['id']}/test", KEY, key=key, expect=202).json
    return {"endpoint_id": made["id"], "delivery_id": tried["id"]}


def sent(parameter):
    """Return the example of *parameter* as it stands in a query, by name."""
    example = parameter["example"]
    if not parameter.get("explode"):
        return {parameter["name"]: wire(example)}
    if isinstance(example, dict):  # its members stand for themselves
        return {name: wire(value) for name, value in example.items()}
    return {parameter["name"]: list(map(wire, example))}


def wire(value):
    """Return *value* as it stands in a query."""
    if isinstance(value, list):
        return ",".join(map(wire, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_problems_have_the_titles_that_the_service_gives_them():
    found = list(problems_in(contract().document))

    assert len(found) > 50
    assert [(code, title) for code, title in found if HELP[code].title != title] == []


def problems_in(part):
    """Yield code and title of each problem that is shown in *part* of the document."""
    if isinstance(part, dict):
        code, title = part.get("code"), part.get("title")
        if isinstance(code, str) and isinstance(title, str):
            yield code, title
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from problems_in(one)
