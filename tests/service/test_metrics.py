"""What processes count: real ones, asked over HTTP."""

import json
import re
from urllib.request import urlopen

import pytest
from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families

from engine.cards import CODES
from service import metrics
from tests.contract.asking import at
from tests.deploy.addresses import ROOT, free_port, free_row
from tests.processes import hearts_up
from tests.tables import Api, make_app, playing_table

OURS = re.compile("(?:hearts|http)_[a-z_]+")


@pytest.fixture
def api(redis_url):
    return Api(make_app(redis_url))


def names():
    """Return the names of our metrics as Prometheus has them."""
    made = [one for one in vars(metrics).values() if isinstance(one, MetricWrapperBase)]
    found = [family for one in made for family in one.describe()]
    return {one.name + ("_total" if one.type == "counter" else "") for one in found}


def value(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0


def scraped(port):
    """Return what a process shows on *port*: sample, labels and value."""
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def found(samples, name, **labels):
    return next(one.value for one in samples if (one.name, one.labels) == (name, labels))


def test_the_page_and_the_dashboard_know_every_metric():
    page = (ROOT / "docs" / "operations.md").read_text()
    board = json.loads((ROOT / "deploy" / "grafana.json").read_text())
    asked = " ".join(one["expr"] for panel in board["panels"] for one in panel["targets"])
    shown = {re.sub("_(bucket|count|sum)$", "", name) for name in OURS.findall(asked)}

    assert set(re.findall(r"^\| `((?:hearts|http)_\w+)", page, re.MULTILINE)) == names()
    assert shown == names()


def test_commands_are_counted_by_what_became_of_them(api):
    accepted = value("hearts_commands_total", type="create_game", code="accepted")
    refused = value("hearts_commands_total", type="play_card", code="stale_turn")
    replays = value("hearts_idempotent_replays_total")
    events = value("hearts_events_total", type="game.created")
    asked = value("http_request_seconds_count", route="/v1/games", status="201")

    key = "k" * 32
    for _ in range(2):
        api.ask("POST", "/v1/games", body={}, key=key, expect=201)
    table = playing_table(api)
    table.move(0, {"type": "play", "card": "2C", "turn_id": 1}, expect=(409, "stale_turn"))

    assert value("hearts_commands_total", type="create_game", code="accepted") == accepted + 2
    assert value("hearts_commands_total", type="play_card", code="stale_turn") == refused + 1
    assert value("hearts_idempotent_replays_total") == replays + 1
    assert value("hearts_events_total", type="game.created") == events + 2
    assert value("http_request_seconds_count", route="/v1/games", status="201") == asked + 3


def test_a_path_that_is_none_is_no_label(api):
    before = value("http_request_seconds_count", route="none", status="404")

    api.ask("GET", "/v1/nothing-of-the-kind", expect=(404, "not_found"))

    assert value("http_request_seconds_count", route="none", status="404") == before + 1


def test_every_process_shows_what_it_does_and_no_card(tmp_path):
    port = free_row(3)  # of the API, a worker, and who tells webhooks
    more = {"HEARTS_METRICS_PORT": str(port), "HEARTS_WORKERS": "1"}
    with hearts_up(tmp_path, **more) as up:
        service = at(up.address)
        bots = [{"kind": "bot", "level": "easy"}] * 4
        body = {"seats": bots, "rules": {"ending": {"target": None, "deals": 1, "tie": "share"}}}
        made = service.ask("POST", "/v1/games", body=body, status=201).json
        path, version = f"/v1/games/{made['id']}", 1
        service.ask("POST", f"{path}/start", token=made["host_token"], status=200)
        page = {"complete": False}
        while not page["complete"]:
            page = service.ask("GET", f"{path}/events?after={version}&wait=20", status=200).json
            version = page["next_after"]
        api, worker = scraped(port), scraped(port + 1)

    assert found(api, "hearts_commands_total", type="start_game", code="accepted") == 1
    assert found(worker, "hearts_bot_move_seconds_count", level="easy") >= 52
    assert found(worker, "hearts_events_total", type="card.played") == 52
    labels = {text for one in (*api, *worker) for text in one.labels.values()}
    assert not labels & {*CODES, made["id"], made["host_token"]}


def test_a_port_that_is_taken_is_said(caplog):
    port = free_port()
    metrics.serve("127.0.0.1", port)

    metrics.serve("127.0.0.1", port)

    assert f"no metrics: port {port} of 127.0.0.1" in caplog.text
