"""The receiver of the documentation believes what is signed, fresh and new, and nothing else."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from service.webhooks.courier import RETRY_SECONDS
from service.webhooks.messages import TYPES
from service.webhooks.sending import Sender
from service.webhooks.signing import SCHEMES, headers_of, shown_key
from tests.contract.spec import contract

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "webhooks.md").read_text()
SECRET = b"s" * 32
BODY = '{"type":"webhook.test","timestamp":"2026-11-29T18:01:00.000Z","data":{}}'


@pytest.fixture(params=SCHEMES)
def scheme(request):
    return request.param


@pytest.fixture
def receiver(scheme):
    command = [sys.executable, "-W", "error", str(ROOT / "docs" / "webhook.py")]
    with subprocess.Popen(
        [*command, shown_key(scheme, SECRET), "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def send(receiver, scheme, *, secrets=(SECRET,), name="msg_1", at=None, body=BODY, **changed):
    port = receiver.port
    headers = headers_of(scheme, secrets, name, at or int(time.time()), BODY) | changed
    sent = Sender(anywhere=True).send(f"http://127.0.0.1:{port}/", headers, body)
    return sent.status


def test_the_receiver_takes_what_is_signed_fresh_and_new(receiver, scheme):
    receiver.port = int(receiver.stdout.readline().rpartition(" ")[2])
    other = b"o" * 32
    now = int(time.time())

    assert send(receiver, scheme) == 204
    assert send(receiver, scheme) == 204
    assert send(receiver, scheme, name="msg_2", secrets=(other, SECRET)) == 204
    assert send(receiver, scheme, name="msg_3", secrets=(other,)) == 401
    assert send(receiver, scheme, name="msg_3", body=BODY + " ") == 401
    assert send(receiver, scheme, name="msg_3", at=now - 400) == 401
    assert send(receiver, scheme, name="msg_3", at=now + 400) == 401
    for broken in ("", "v1,?", "v1a,?", "v2,AAAA", "v1", "v1a,AAAA"):
        assert send(receiver, scheme, **{"webhook-signature": broken}) == 401
    for broken in ("", "now", "-1", "1e9"):
        assert send(receiver, scheme, **{"webhook-timestamp": broken}) == 401

    receiver.kill()
    assert receiver.stdout.read().splitlines() == ["webhook.test {}"] * 2


def test_the_page_knows_every_message_and_every_wait():
    for name in TYPES:
        assert f"`{name}`" in PAGE
    assert [*RETRY_SECONDS] == [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    assert "5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h" in PAGE


def test_the_message_of_the_page_is_one_of_the_contract():
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    schema = contract().document["components"]["schemas"]["TurnMessage"]

    assert contract().faults(schema, yaml.safe_load(example)) == []


def test_the_messages_of_the_contract_fit_its_schemas():
    hooks = contract().document["webhooks"]

    assert set(hooks) == {*TYPES, "webhook.test"}
    for name, hook in hooks.items():
        media = hook["post"]["requestBody"]["content"]["application/json"]
        for example in media["examples"].values():
            assert example["value"]["type"] == name
            assert contract().faults(media["schema"], example["value"]) == []
