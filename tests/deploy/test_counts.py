"""The store in which requests are counted, as it is shipped: little may be done there."""

import pytest
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import ConnectionError, NoPermissionError  # noqa: A004
from redis.retry import Retry

from service import embedded, tether
from tests.deploy.addresses import ROOT, free_port
from tests.tables import Api, make_app


class Counts:
    """A server with the shipped configuration."""

    def __init__(self, folder):
        self.port = free_port()
        text = (ROOT / "deploy" / "counts.conf").read_text()
        mine = text.replace("bind * -::*", f"bind 127.0.0.1\nport {self.port}\ndir {folder}")
        assert mine != text
        file = folder / "counts.conf"
        file.write_text(f"{mine}\nuser tester on >secret ~* &* +@all\n")
        self.process = tether.start([str(embedded._bundled_binary()), str(file)])
        self.url = f"redis://127.0.0.1:{self.port}/0"
        retry = Retry(ConstantBackoff(0.05), 200, supported_errors=(ConnectionError,))
        self.tester = Redis(port=self.port, username="tester", password="secret", retry=retry)
        assert self.tester.ping()

    def close(self):
        self.tester.close()
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    counts = Counts(tmp_path_factory.mktemp("counts"))
    yield counts
    counts.close()


def test_counting_asks_for_no_more_than_is_allowed(redis_db, counts):
    more = {"HEARTS_RATE_URL": counts.url, "HEARTS_RATE_LIMITS": "on"}
    api = Api(make_app(redis_db, **more))

    for path in ("/v1/time", "/v1", "/v1/time"):
        api.ask("GET", path, expect=200)
    body = {"visibility": "private"}
    made = api.ask("POST", "/v1/games", body=body, expect=201).json
    claim = f"/v1/games/{made['id']}/seats/claim"
    api.ask("POST", claim, body={"name": "Ana"}, expect=(409, "wrong_join_code"))

    assert counts.tester.acl_log() == []
    policies = {key.decode().split(":")[1] for key in counts.tester.scan_iter()}
    assert policies == {"read", "create", "claim", "join"}


@pytest.mark.parametrize(
    "command",
    [
        "SET hearts-rate:x 1",
        "DEL hearts-rate:x",
        "INCRBY other 1",
        "GET other",
        "EVAL return{} 0",
        "SUBSCRIBE x",
        "KEYS *",
        "FLUSHALL",
        "CONFIG GET *",
        "ACL LIST",
        "SHUTDOWN",
        "MONITOR",
    ],
)
def test_nobody_may_do_more_than_count(counts, command):
    with Redis.from_url(counts.url) as client, pytest.raises(NoPermissionError):
        client.execute_command(*command.split())
    counts.tester.acl_log_reset()


def test_the_store_forgets_rather_than_grows(counts):
    found = counts.tester.config_get("*")

    assert found["maxmemory-policy"] == "volatile-ttl"
    assert found["maxmemory"] == str(64 << 20)
    assert (found["appendonly"], found["save"]) == ("no", "")
