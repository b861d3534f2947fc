"""The composition and the image agree with each other, with the settings and with the code."""

import json
import re
import subprocess
import sys

import pytest
import yaml

from deploy import make_secrets
from service.bodies import BODY_BYTES, FILE_BYTES
from service.server import DRAIN_SECONDS
from service.settings import load
from tests.deploy.addresses import ROOT, free_port
from tests.deploy.proxying import CONFIGURATION
from tests.processes import hearts_up

COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
OURS = ("api", "stream", "worker", "webhooks")
DOCKERFILE = (ROOT / "Dockerfile").read_text()
REDIS = dict(
    line.split(" ", 1)
    for line in (ROOT / "deploy" / "redis.conf").read_text().splitlines()
    if line and not line.startswith("#")
)


class Asked(dict):
    """An environment that notes which names were asked for."""

    def get(self, name, default=None):
        return self.setdefault(name, default)


@pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)
def test_every_container_is_confined(service):
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert [place.split(":")[0] for place in service["tmpfs"]] == ["/tmp"]  # noqa: S108
    assert service["user"].split(":")[0] != "0"
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert (
        service["healthcheck"]
        if "healthcheck" in service
        else service["command"] in (["api"], ["stream"])
    )
    assert "privileged" not in service


def test_our_processes_run_as_the_user_of_the_image():
    (user,) = re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE)

    assert int(user.split(":")[0]) >= 10_000
    assert {SERVICES[name]["user"] for name in OURS} == {user}
    assert int(SERVICES["proxy"]["user"].split(":")[0]) >= 10_000


def test_nothing_but_our_processes_reaches_the_store():
    reaching = {name for name, service in SERVICES.items() if "store" in service["networks"]}

    assert reaching == {*OURS, "redis"}
    assert COMPOSE["networks"]["store"]["internal"]


def test_nothing_but_who_serves_reaches_the_counts():
    reaching = {name for name, service in SERVICES.items() if "counts" in service["networks"]}

    assert reaching == {"api", "stream", "counts"}
    assert COMPOSE["networks"]["counts"]["internal"]


def test_nothing_but_the_proxy_is_reached_from_outside():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    for network, name in {"public": "proxy", "outside": "webhooks"}.items():
        found = [name for name, service in SERVICES.items() if network in service["networks"]]
        assert found == [name]
    assert COMPOSE["networks"]["service"]["internal"]


def test_every_secret_is_a_file_that_is_made_or_named_in_the_docs():
    made = make_secrets.contents(dict.fromkeys(make_secrets.USERS, "x" * 32)).keys()
    files = {one["file"].removeprefix("secrets/") for one in COMPOSE["secrets"].values()}
    named = (ROOT / "docs" / "operations.md").read_text()

    assert made - files == {"operator_password"}
    assert all(f"`{file}`" in named for file in files - made)
    for service in SERVICES.values():
        used = [
            one["source"] if isinstance(one, dict) else one for one in service.get("secrets", ())
        ]
        assert COMPOSE["secrets"].keys() >= set(used)


def test_no_secret_stands_in_the_composition():
    for service in SERVICES.values():
        assert not {"HEARTS_EVENTS_URL", "HEARTS_QUEUE_URL", "HEARTS_SECRET_KEYS"} & set(
            service.get("environment", ())
        )


@pytest.mark.parametrize("name", OURS)
def test_our_processes_are_given_settings_that_there_are(name, tmp_path):
    made = make_secrets.contents(dict.fromkeys(make_secrets.USERS, "x" * 32))
    environ = Asked({"HEARTS_DATA_DIR": str(tmp_path)})
    for setting, value in SERVICES[name]["environment"].items():
        if setting.endswith("_FILE"):
            mounted = value.removeprefix("/run/secrets/")
            file = tmp_path / mounted
            file.write_text(made[source_of(SERVICES[name], mounted)])
            environ[setting] = str(file)
        else:
            environ[setting] = value

    settings = load(environ, needs=["HEARTS_EVENTS_URL", "HEARTS_SECRET_KEYS"])

    asked = load(plain := Asked({"HEARTS_DATA_DIR": str(tmp_path)})) and plain.keys()
    assert environ.keys() <= asked
    image = re.findall(r"(HEARTS_\w+)=", DOCKERFILE)
    assert set(image) <= asked
    assert "@redis:6379" in settings.events_url
    assert settings.queue_url != settings.events_url
    # A store that writes everything down is not to write down every read.
    assert (settings.rate_url == "redis://counts:6379/0") == (name not in {"worker", "webhooks"})
    assert settings.rate_limits == "on"


def source_of(service, mounted):
    """Return the secret that *service* has under the name *mounted*."""
    for one in service["secrets"]:
        if one == mounted or (isinstance(one, dict) and one["target"] == mounted):
            return one if isinstance(one, str) else one["source"]
    raise AssertionError(mounted)


def test_the_durability_that_is_told_is_that_of_the_store():
    told = {SERVICES[name]["environment"]["HEARTS_DURABILITY"] for name in OURS}

    assert told == {{"always": "fsync", "everysec": "buffered"}[REDIS["appendfsync"]]}
    assert REDIS["appendonly"] == "yes"


def test_the_store_refuses_rather_than_forgets():
    assert REDIS["maxmemory-policy"] == "noeviction"
    assert REDIS["maxmemory"] == "512mb"
    assert SERVICES["redis"]["mem_limit"] == "1g"


def test_processes_have_time_to_end_in_order():
    for name in OURS:
        assert int(SERVICES[name]["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS + 2


def test_the_proxy_asks_the_processes_that_there_are():
    backends = set(re.findall(r"(\w+):8000;", CONFIGURATION.read_text()))

    assert backends == {"api", "stream"}
    assert re.search(r"HEARTS_PORT=8000\b", DOCKERFILE)
    assert "8443" in SERVICES["proxy"]["ports"][0]
    threads = {name: int(SERVICES[name]["environment"]["HEARTS_API_THREADS"]) for name in backends}
    assert threads["stream"] > threads["api"]


def test_the_proxy_bounds_bodies_as_the_api_does():
    assert (BODY_BYTES, FILE_BYTES) == (16 * 1024, 1024 * 1024)
    bounds = re.findall(r"client_max_body_size (\w+);", CONFIGURATION.read_text())
    assert bounds == ["16k", "1m", "0"]


def test_the_image_takes_what_its_build_is_given():
    allowed = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)

    assert {name for line in copied for name in line.split()} == allowed
    assert all((ROOT / name).exists() for name in allowed)


def test_the_check_of_the_image_tells_a_living_process_from_none(tmp_path):
    (check,) = re.findall(r"^ +CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    _, *arguments = json.loads(check)

    def run(port):
        command = [sys.executable, *arguments]
        environ = {"HEARTS_PORT": str(port)}
        return subprocess.run(command, env=environ, capture_output=True, check=False).returncode

    with hearts_up(tmp_path) as up:
        assert run(up.address.rpartition(":")[2]) == 0
    assert run(free_port()) != 0
