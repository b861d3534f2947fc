"""Requests of every kind, sound and broken, one by one and in chains."""

import pytest
from redis import Redis

from tests.contract.fuzzing import Fuzzer, keeps_to_the_contract
from tests.tables import Api, make_app

FUZZER = Fuzzer()

SCHEMA = FUZZER.schema


class Chains(SCHEMA.as_state_machine()):
    """Walks along the links of the contract, with the tokens it finds on the way."""

    def setup(self):
        # The same steps must meet the same answers: no game and no token is left.
        api = Api(SCHEMA.app)
        api.over(api.deps.store)
        self.client.flushall()
        FUZZER.purse.empty()

    def get_call_kwargs(self, _):
        return {"app": SCHEMA.app}

    def before_call(self, case):
        FUZZER.prepare(case)

    def after_call(self, response, case):
        super().after_call(response, case)
        FUZZER.learn(response, case)

    def validate_response(self, response, case, additional_checks=None, **more):
        checks = [*(additional_checks or []), keeps_to_the_contract, FUZZER.keeps_seats_apart]
        super().validate_response(response, case, additional_checks=checks, **more)


@pytest.fixture(scope="module")
def app(redis_url):
    SCHEMA.app = make_app(redis_url)
    return SCHEMA.app


@SCHEMA.parametrize()
def test_an_operation_keeps_to_the_contract(case, app):
    FUZZER.prepare(case)
    response = case.call(app=app)
    FUZZER.learn(response, case)

    # What it asks once more, without a token, is asked there, too.
    case.operation.schema.app = app
    case.validate_response(
        response, additional_checks=[keeps_to_the_contract], transport_kwargs={"app": app}
    )


def test_chains_of_operations_keep_to_the_contract(app, redis_url):
    with Redis.from_url(redis_url) as client:
        Chains.client = client
        Chains.run(settings=SCHEMA.config.get_hypothesis_settings(phase="stateful"))

    # Else the links lead nowhere, and the rest has shown nothing.
    assert FUZZER.reached >= {
        *(("createGame", 201), ("claimSeat", 201), ("claimAnySeat", 201), ("startGame", 200)),
        *(("getLegalMoves", 200), ("makeMove", 201), ("getEvent", 200), ("getState", 200)),
        *(("updateGame", 200), ("updateSeat", 200), ("releaseSeat", 200)),
        *(("rematchGame", 409), ("rotateSeatToken", 201), ("rotateHostToken", 201)),
        *(("getDeal", 200), ("getReplay", 200), ("exportGame", 200), ("getKnowledge", 200)),
    }
    assert len(FUZZER.kept_apart) > 1, FUZZER.kept_apart
