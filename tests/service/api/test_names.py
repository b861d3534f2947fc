"""Names of players: what may be seen is taken, trimmed and in NFC; what hides is refused."""

import json
import unicodedata

import pytest

from tests.tables import HUMAN, open_table

REFUSED = {
    "nothing": "",
    "a blank": " ",
    "32 blanks": " " * 32,
    "a tab": "\t",
    "a newline": "Ana\n",
    "a carriage return": "Ana\r\nBea",
    "a NUL": "a\0b",
    "an escape": "\x1b[31mAna",
    "a delete": "Ana\x7f",
    "a C1 control": "Ana\x85",
    "a no-break space": "\u00a0",
    "a no-break space inside": "Ana\u00a0B",
    "a soft hyphen": "An\u00ada",
    "an ideographic space": "\u3000",
    "a thin space": "Ana\u2009B",
    "a line separator": "Ana\u2028B",
    "a zero width space": "\u200b",
    "a zero width space inside": "An\u200ba",
    "a zero width joiner": "An\u200da",
    "a left-to-right mark": "\u200eAna",
    "a bidi override": "Ana\u202egpj",
    "a bidi isolate": "\u2067Ana\u2069",
    "a word joiner": "An\u2060a",
    "a byte order mark": "\ufeffAna",
    "a variation selector": "Ana\ufe0f",
    "a Hangul filler": "\u3164",
    "a half-width filler": "\uffa0",
    "an empty Braille cell": "\u2800",
    "a tag": "Ana\U000e0041",
    "a private character": "\ue000",
    "a private character beyond U+FFFF": "\U000f0000",
    "no character": "Ana\ufffe",
    "a replacement character": "Ana\ufffd",
    "a lone combining mark": "\u0301",
    "a combining mark at the start": "\u0301Ana",
    "a combining mark after a blank": " \u0301Ana",
    "33 letters": "a" * 33,
    "33 with the blanks": "a" * 31 + "  ",
    "33 emoji": "\U0001f0a1" * 33,
    "a number": 7,
    "true": True,
    "null": None,
    "a list": ["Ana"],
    "an object": {"name": "Ana"},
}

# As sent → as stored.
TAKEN = {
    "Ana": "Ana",
    "a": "a",
    "Ana María": "Ana María",
    " Ana ": "Ana",
    "   Ana": "Ana",
    "Ana  B": "Ana  B",
    "Jose\u0301": "Jos\u00e9",
    "\u212b": "\u00c5",
    "a" * 32: "a" * 32,
    "\U0001f0a1" * 32: "\U0001f0a1" * 32,
    "\U0001f0a1 \u2660\u2665": "\U0001f0a1 \u2660\u2665",
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "'; DROP TABLE games;--": "'; DROP TABLE games;--",
    "{{7*7}} ${7*7} %s": "{{7*7}} ${7*7} %s",
    "../../etc/passwd": "../../etc/passwd",
    "null": "null",
    "hst_aaaaaaaaaaaaaaaaaaaaaaaaaa": "hst_aaaaaaaaaaaaaaaaaaaaaaaaaa",
    '\\"\\u0041': '\\"\\u0041',
    "Ольга": "Ольга",
    "محمد": "محمد",
    "王小明": "王小明",
    "ประเสริฐ": "ประเสริฐ",
    "\u0958": "\u0915\u093c",
    "\u0958" * 32: "\u0915\u093c" * 32,
}


@pytest.mark.parametrize("name", REFUSED.values(), ids=REFUSED)
def test_a_name_that_hides_is_refused_wherever_it_is_given(api, name):
    """Fault case 137."""
    table = open_table(api, claim={"seat": 0, "name": "Ana"})
    refused = (422, "validation_failed")
    bot = {"kind": "bot", "level": "easy", "name": name}

    table.ask("POST", "/seats/1/claim", body={"name": name}, expect=refused)
    table.ask("POST", "/seats/claim", body={"name": name}, expect=refused)
    table.ask("PATCH", "/seats/0", 0, body={"name": name}, expect=refused)
    api.ask("POST", "/v1/games", body={"claim": {"seat": 0, "name": name}}, expect=refused)
    api.ask("POST", "/v1/games", body={"seats": [HUMAN, HUMAN, bot]}, expect=refused)
    assert table.version == 2


@pytest.mark.parametrize(
    ("name", "unfit"),
    [
        ("\U0001f469\u200d\U0001f680", "U+200D ZERO WIDTH JOINER"),
        ("\u2665\ufe0f Ana", "U+FE0F VARIATION SELECTOR-16"),
        ("Ana\tB\u00a0", "U+0009"),
        ("Ana\U000f0000", "U+F0000"),
    ],
)
def test_a_name_is_refused_with_the_character_that_is_at_fault(api, name, unfit):
    body = {"claim": {"seat": 0, "name": name}}
    answer = api.ask("POST", "/v1/games", body=body, expect=(422, "validation_failed"))

    (error,) = answer.json["errors"]
    assert error["detail"] == f"This has {unfit}, which no name may have."


@pytest.mark.parametrize(("name", "stored"), TAKEN.items(), ids=[repr(name) for name in TAKEN])
def test_a_name_is_kept_trimmed_and_composed(api, name, stored):
    """Fault cases 127 and 137."""
    bot = {"kind": "bot", "level": "easy", "name": name}
    table = open_table(api, HUMAN, HUMAN, bot, claim={"seat": 0, "name": name})
    table.claim(1, name=name)

    assert unicodedata.is_normalized("NFC", stored)
    assert [seat["name"] for seat in table.state()["seats"]] == [stored] * 3
    claims = [one for one in table.events() if one["type"] == "seat.claimed"]
    assert [one["data"]["name"] for one in claims] == [stored] * 2
    (line,) = api.ask("GET", "/v1/games", expect=200).json["items"]
    assert [seat["name"] for seat in line["seats"]] == [stored] * 3


def test_markup_comes_back_as_data(api):
    """Fault case 137."""
    table = open_table(api, claim={"seat": 0, "name": "<img src=x onerror=alert(1)>"})
    answer = table.ask("GET", expect=200)

    assert answer.content_type == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert json.loads(answer.data)["seats"][0]["name"] == "<img src=x onerror=alert(1)>"


def test_a_name_may_be_given_to_several_seats(api):
    """Fault case 137."""
    table = open_table(api)
    for seat in range(4):
        table.claim(seat, name="Ana")

    assert len(set(table.tokens.values())) == 4


def test_a_name_may_be_changed_until_the_start(api):
    table = open_table(api)
    for seat in range(4):
        table.claim(seat)
    table.ask("PATCH", "/seats/2", 2, body={"name": "Cid"}, expect=200)
    table.start()

    refused = (409, "game_already_started")
    table.ask("PATCH", "/seats/2", 2, body={"name": "Dag"}, expect=refused)
    assert table.state()["seats"][2]["name"] == "Cid"
