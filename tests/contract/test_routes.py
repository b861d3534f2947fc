import re

import pytest

from tests.contract.drift import route_drift
from tests.contract.spec import contract, validate
from tests.tables import make_app

ID = "0" * 32


@pytest.fixture(scope="module")
def app(redis_url):
    return make_app(redis_url)


def test_the_service_has_the_operations_of_the_contract_and_no_more(app):
    assert route_drift(contract(), app) == []


@pytest.mark.parametrize("path", contract().document["paths"])
def test_a_path_names_exactly_its_methods(app, path):
    methods = {one.method for one in contract().operations if one.path == path}
    implied = {"HEAD", "OPTIONS"} if "GET" in methods else {"OPTIONS"}
    address = filled(path)

    other = "PUT" if "DELETE" in methods else "DELETE"
    for method, status in [("OPTIONS", 204), (other, 405)]:
        answer = validate(app.test_client().open(address, method=method))

        assert answer.status_code == status
        assert {one.strip() for one in answer.headers["Allow"].split(",")} == methods | implied


@pytest.mark.parametrize("path", contract().document["paths"])
def test_head_is_answered_like_get_without_the_body(app, path):
    client, address = app.test_client(), filled(path)

    answer = validate(client.head(address))

    # Of a path without GET, the 405.
    assert answer.status_code == client.get(address).status_code
    assert not answer.data


def test_an_unknown_path_is_a_problem(app):
    for method in ("GET", "POST", "OPTIONS"):
        assert validate(app.test_client().open("/v1/game", method=method)).status_code == 404


def filled(path):
    """Return an address of *path*: seat, event and version 1 of a game that is not there."""
    path = path.replace("{game_id}", ID).replace("{analysis_id}", ID)
    return re.sub(r"\{[a-z_]+\}", "1", path)
