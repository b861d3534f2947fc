"""The contract as YAML, as JSON and as a page, and a page for every problem."""

import json
import re

import pytest
import yaml

from service.api.documents import AGAIN
from service.problem_codes import HELP
from tests.contract.spec import contract
from tests.tables import UNKNOWN_GAME

PAGES = ["/docs", "/problems", *(f"/problems/{code.replace('_', '-')}" for code in HELP)]
A_DAY = "public, max-age=86400"


def policy(answer):
    """Return what the page may load, by kind."""
    directives = answer.headers["Content-Security-Policy"].split("; ")
    return dict(one.partition(" ")[::2] for one in directives)


def loads(page):
    """Return what the page refers to, by attribute."""
    return re.findall(r'(?:src|href)="([^"]*)"', page)


# The contract


def test_the_document_as_json_is_the_document(api):
    got = api.ask("GET", "/openapi.json", expect=200)

    assert got.json == yaml.safe_load(api.ask("GET", "/openapi.yaml", expect=200).data)
    assert got.headers["Cache-Control"] == A_DAY


def test_the_reference_shows_every_operation(api):
    """It shows the operations of the document it loads, under the tags that are declared."""
    script = api.ask("GET", "/docs/docs.js", expect=200).text
    (address,) = re.findall(r'fetch\("(.*?)"\)', script)
    shown = api.ask("GET", address, expect=200).json
    declared = {tag["name"] for tag in shown["tags"]}
    found = {
        operation["operationId"]
        for path in shown["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict) and set(operation["tags"]) <= declared
    }

    assert found == {one.id for one in contract().operations}


def test_references_of_a_path_are_of_the_kind_that_the_page_follows(api):
    document = api.ask("GET", "/openapi.json", expect=200).json
    for path in document["paths"].values():
        for one in path.get("parameters", []):
            if "$ref" in one:
                place, *keys = one["$ref"].split("/")
                assert place == "#"
                assert len(one) == 1
                assert not any("~" in key for key in keys)


# Pages


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_all_of_this_service(api, path):
    page = api.ask("GET", path, expect=200)

    assert page.content_type == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == A_DAY
    assert page.text.startswith("<!doctype html>")
    for target in loads(page.text):
        if target != "data:,":
            assert target.startswith("/")
            assert not target.startswith("//")
            api.ask("GET", target, expect=200)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_nothing_inside_that_its_policy_would_stop(api, path):
    page = api.ask("GET", path, expect=200)
    allowed = policy(page)

    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page.text)
    assert re.findall(r"<script[^>]*>(.*?)</script>", page.text, re.DOTALL) == [""] * (
        page.text.count("<script")
    )
    assert allowed["default-src"] == "'none'"
    assert allowed["style-src"] == "'self'"
    assert ("script-src" in allowed) == ("<script" in page.text)
    assert set(" ".join(allowed.values()).split()) <= {"'none'", "'self'", "data:"}
    assert allowed["frame-ancestors"] == allowed["base-uri"] == allowed["form-action"] == "'none'"


def test_only_the_reference_runs_scripts(api):
    assert policy(api.ask("GET", "/docs"))["script-src"] == "'self'"
    assert all("script-src" not in policy(api.ask("GET", path)) for path in PAGES[1:])


@pytest.mark.parametrize(
    ("file", "media_type", "beginning"),
    [
        ("docs.js", "text/javascript", "// "),
        ("page.css", "text/css", "body"),
        ("swagger-ui.css", "text/css", ".swagger-ui"),
        ("swagger-ui-bundle.js", "text/javascript", "/*! For license information"),
    ],
)
def test_a_file_of_the_pages_is_what_it_is_called(api, file, media_type, beginning):
    got = api.ask("GET", f"/docs/{file}", expect=200)

    assert got.content_type == f"{media_type}; charset=utf-8"
    assert got.text.startswith(beginning)
    assert got.headers["Cache-Control"] == A_DAY


@pytest.mark.parametrize(
    "file",
    [
        "index.html",
        "swagger-ui.js",
        "oauth2-redirect.html",
        "%2e%2e",
        "..%2F__init__.py",
        "DOCS.JS",
    ],
)
def test_no_other_file_is_served(api, file):
    api.ask("GET", f"/docs/{file}", expect=(404, "not_found"))


# Problems


def test_the_type_of_a_problem_leads_to_its_page(api):
    problem = api.ask("GET", f"/v1/games/{UNKNOWN_GAME}", expect=(404, "game_not_found")).json

    page = api.ask("GET", problem["type"], expect=200).text

    assert f"<code>{problem['code']}</code>" in page
    assert f"<h1>{problem['title']}</h1>" in page


@pytest.mark.parametrize("code", HELP)
def test_every_code_has_a_page(api, code):
    about, path = HELP[code], f"/problems/{code.replace('_', '-')}"

    page = api.ask("GET", path, expect=200).text
    data = api.ask("GET", path, headers={"Accept": "application/json"}, expect=200).json

    for text in (about.title, AGAIN[about.retry], *about.meaning.split("`")[::2]):
        assert text.replace("'", "&#39;") in page
    for word in about.advice.split("`")[1::2]:
        assert f"<code>{word}</code>" in page
    assert "`" not in page
    assert data == {
        "type": path,
        "code": code,
        "title": about.title,
        "meaning": about.meaning,
        "advice": about.advice,
        "retry": about.retry,
    }


def test_all_problems_are_listed(api):
    page = api.ask("GET", "/problems", expect=200).text
    data = api.ask("GET", "/problems", headers={"Accept": "application/json"}, expect=200).json

    assert [one["code"] for one in data["items"]] == list(HELP)
    assert [path for path in loads(page) if path.startswith("/problems/")] == [
        one["type"] for one in data["items"]
    ]


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "text/html"),
        ("", "text/html"),
        ("*/*", "text/html"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html"),
        ("application/json", "application/json"),
        ("application/json, text/html;q=0.9", "application/json"),
        ("application/json;q=0.2, text/html", "text/html"),
        ("image/png", "text/html"),
    ],
)
def test_a_problem_is_a_page_unless_json_is_preferred(api, accept, media_type):
    headers = {} if accept is None else {"Accept": accept}
    for path in ("/problems", "/problems/busy"):
        assert api.ask("GET", path, headers=headers, expect=200).mimetype == media_type


@pytest.mark.parametrize("retry", ["later"])
def test_what_may_be_repeated_unchanged_is_what_answers_say_so_of(retry):
    """Whatever is 429 or above may be sent again as it is, and nothing else."""
    document = contract().document["components"]["schemas"]
    unchanged = {
        code
        for name in (
            "TooManyProblem",
            "RateLimitedProblem",
            "InternalProblem",
            "UnavailableProblem",
        )
        for code in document[name]["properties"]["code"]["enum"]
    }

    assert {code for code, about in HELP.items() if about.retry == retry} == unchanged


def test_titles_of_the_examples_are_sentences_too():
    assert all(len(json.dumps(about.title)) < 60 for about in HELP.values())
