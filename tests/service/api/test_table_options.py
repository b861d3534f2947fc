"""What a table allows beside its rules: spectators, knowledge, and texts of an app."""

import pytest

from tests.tables import BOT, HUMAN, SHORT, full_table, open_table, outcome_of, started_table

READS = (
    *("", "/events", "/events/1", "/states/1", "/replay", "/deals", "/deals/1"),
    *("/fairness", "/export", "/stream"),
)


def test_a_running_game_without_spectators_needs_a_token(api):
    table = full_table(api, HUMAN, HUMAN, BOT, spectators=False)

    assert table.state()["spectators"] is False
    table.start()

    for path in READS:
        answer = table.ask("GET", path, expect=(401, "authentication_required"))
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert outcome_of(table.ask("GET", path, 0)) == 200
        assert outcome_of(table.ask("GET", path, "host")) == 200


def test_a_game_without_spectators_stays_so_when_it_is_over(api):
    table = started_table(api, HUMAN, HUMAN, HUMAN, spectators=False, rules=SHORT)
    table.ask("POST", "/abort", "host", expect=200)

    for path in READS:
        table.ask("GET", path, expect=(401, "authentication_required"))
    cache = table.ask("GET", "", "host", expect=200).headers["Cache-Control"]
    assert "public" not in cache


def test_a_table_that_never_started_hides_nothing(api):
    table = full_table(api, HUMAN, HUMAN, HUMAN, spectators=False)
    table.ask("POST", "/abort", "host", expect=200)

    assert table.state()["status"] == "aborted"


def test_without_spectators_nobody_forks_without_a_token(api):
    table = started_table(api, HUMAN, HUMAN, HUMAN, spectators=False, rules=SHORT)
    table.ask("POST", "/abort", "host", expect=200)
    body = {"at_version": table.state("host")["version"] - 1}

    table.ask("POST", "/forks", None, body, expect=(401, "authentication_required"))

    table.ask("POST", "/forks", "host", body, expect=201)


def test_knowledge_that_is_off_is_told_to_nobody(api):
    table = full_table(api, HUMAN, HUMAN, HUMAN, knowledge="off")

    table.ask("GET", "/knowledge", 0, expect=(409, "knowledge_disabled"))
    table.start()

    answer = table.ask("GET", "/knowledge", 0, expect=(409, "knowledge_disabled"))
    assert answer.json["game_status"] == "active"
    assert table.state()["knowledge"] == "off"


def test_metadata_are_shown_to_everybody(api):
    given = {"tournament": "t_12", "0": "", "a" * 32: "é" * 128}

    table = open_table(api, metadata=given)

    assert table.state()["metadata"] == given
    assert table.events()[0]["data"]["metadata"] == given


@pytest.mark.parametrize(
    "metadata",
    [
        {"Upper": "x"},
        {"a" * 33: "x"},
        {"": "x"},
        {"a": "x" * 129},
        {"a": "line\n"},
        {"a": None},
        {"a": 1},
        {f"k{number}": "" for number in range(17)},
        [],
        None,
    ],
)
def test_metadata_have_their_bounds(api, metadata):
    body = {"metadata": metadata}

    api.ask("POST", "/v1/games", body=body, expect=(422, "validation_failed"))


def test_a_table_allows_what_nobody_forbids(api):
    state = open_table(api).state()

    assert (state["spectators"], state["knowledge"], state["metadata"]) == (True, "on", {})


def test_the_options_of_a_table_pass_through_a_file(api):
    options = {"spectators": False, "knowledge": "off", "metadata": {"b": "1", "a": "2"}}
    table = started_table(api, HUMAN, HUMAN, HUMAN, rules=SHORT, **options)
    while (turn := table.state("host")["turn"]) is not None:
        table.move(turn["seats"][0], table.a_move(turn["seats"][0]), expect=201)
    file = table.ask("GET", "/export?format=jsonl", 0, expect=200).data
    sent = {"data": file, "content_type": "application/x-ndjson"}

    report = api.ask("POST", "/v1/verifications", **sent, expect=200).json
    made = api.ask("POST", "/v1/imports", **sent, expect=201).json

    assert report["valid"]
    assert made["game"] | options | {"spectators": True} == made["game"]
