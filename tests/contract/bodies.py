"""Bodies of requests, sound and odd, and what reads them in the code."""

from collections.abc import Iterator
from typing import Any

from service.schemas import requests, webhooks
from tests.contract.drift import changed, nodes, without
from tests.contract.spec import contract

LOADERS = {
    "createGame": requests.CreateGame().load,
    "forkGame": requests.ForkGame().load,
    "analyseGame": requests.AnalyseGame().load,
    "checkRules": requests.CheckRules().load,
    "updateGame": requests.UpdateGame().load,
    "claimSeat": requests.ClaimSeat().load,
    "claimAnySeat": requests.ClaimSeat().load,
    "updateSeat": requests.load_seat_change,
    "releaseSeat": requests.Nothing().load,
    "changeControl": requests.ChangeControl().load,
    "rotateSeatToken": requests.Nothing().load,
    "rotateHostToken": requests.Nothing().load,
    "rematchGame": requests.Nothing().load,
    "createStreamTicket": requests.Nothing().load,
    "startGame": requests.Expectation().load,
    "abortGame": requests.Expectation().load,
    "takeHint": requests.TakeHint().load,
    "makeMove": lambda body: requests.load_variant(body, "type", requests.MOVES),
    "createWebhookEndpoint": webhooks.CreateEndpoint().load,
    "updateWebhookEndpoint": webhooks.UpdateEndpoint().load,
    "testWebhookEndpoint": requests.Nothing().load,
    "rotateWebhookSecret": requests.Nothing().load,
    "retryWebhookDelivery": requests.Nothing().load,
}

RULES = contract().document["components"]["examples"]["Preset"]["value"]["rules"]

# Every member of every request stands in one of these.
WHOLE = {
    "createGame": [
        {
            "rules": RULES,
            "seats": [
                {"kind": "human"},
                {"kind": "bot", "level": "easy"},
                {"kind": "bot", "level": "random", "name": "Robo"},
            ],
            "claim": {"seat": 0, "name": "Ana"},
            "lobby": "closed",
            "auto_start": True,
            "fill_with_bots": False,
            "dealing": {"mode": "seeded", "seed": "5e" * 32},
            "practice": True,
            "visibility": "unlisted",
            "spectators": False,
            "hints": "on",
            "knowledge": "off",
            "metadata": {"tournament": "t_12", "0": ""},
            "clock": {
                "play_seconds": 60,
                "pass_seconds": 90,
                "moon_seconds": 60,
                "on_timeout": "bot_takeover",
                "takeover_after": 2,
                "bot_level": "medium",
                "idle_seconds": 600,
                "on_all_idle": "abort",
            },
        },
        {"clock": None},
        {"dealing": {"mode": "committed"}},
        {
            "rules": {
                "deck": {"remove": ["2C", "2D"]},
                "scoring": {"hearts": {"A": 5, "2": -1}, "extra": {"JD": -10}, "moon_points": 26},
            }
        },
    ],
    "forkGame": [
        {
            "at_version": 43,
            "seats": [
                {"kind": "human"},
                {"kind": "bot", "level": "easy"},
                {"kind": "bot", "level": "random", "name": "Robo"},
            ],
            "claim": {"seat": 0, "name": "Ana"},
            "visibility": "public",
            "hints": "on",
        },
    ],
    "analyseGame": [{"level": "expert", "deals": [1, 256]}],
    "checkRules": [{"rules": RULES}, {"rules": {}}],
    "updateGame": [{"rules": RULES, "lobby": "open", "visibility": "private"}],
    "claimSeat": [
        {
            "name": "Ana",
            "client_seed": "a1" * 32,
            "join_code": "0123456789",
            "player_ref": "u_33",
        }
    ],
    "claimAnySeat": [{"name": "Ana", "client_seed": None, "join_code": None, "player_ref": None}],
    "updateSeat": [
        {"name": "Ana", "client_seed": "a1" * 32, "ready": True},
        {"kind": "bot", "level": "easy", "name": "Robo"},
        {"kind": "human"},
        {"kick": True},
        {"reissue": True},
    ],
    "releaseSeat": [{}],
    "changeControl": [{"controller": "human"}],
    "rotateSeatToken": [{}],
    "rotateHostToken": [{}],
    "rematchGame": [{}],
    "createStreamTicket": [{}],
    "startGame": [{"expected_version": 5}],
    "abortGame": [{"expected_version": 5}],
    "takeHint": [{"level": "hard", "turn_id": 7, "expected_version": 9}],
    "makeMove": [
        {"type": "pass", "cards": ["QS", "2H", "TD"], "turn_id": 7, "expected_version": 9},
        {"type": "play", "card": "QS", "turn_id": 7, "expected_version": 9},
        {"type": "moon", "choice": "others_add", "turn_id": 7, "expected_version": 9},
    ],
    "createWebhookEndpoint": [
        {
            "url": "https://app.example.com:8443/hooks?token=1",
            "events": ["turn.opened", "game.finished"],
            "filter": {"player_ref_prefix": "u_"},
            "signing": "hmac",
        },
        {"url": "http://[::1]", "events": ["turn.reminder"], "filter": {"player_ref_prefix": None}},
    ],
    "updateWebhookEndpoint": [
        {
            "url": "https://app.example.com",
            "events": ["seat.control_changed"],
            "filter": {"player_ref_prefix": None},
            "disabled": True,
        },
        {},
    ],
    "testWebhookEndpoint": [{}],
    "rotateWebhookSecret": [{}],
    "retryWebhookDelivery": [{}],
}

DECK = [f"{rank}{suit}" for suit in "CDSH" for rank in "23456789TJQKA"]

NUMBERS = [
    *(-1001, -1000, -1, 0, 1, 2, 3, 4, 10, 11, 12, 20, 21, 104, 105, 256, 257, 1000, 1001),
    *(100_000, 100_001, 999_999, 1_000_000, 999_999_999, 1_000_000_000, 4.0, -0.0, 4.5, 1e300),
]

NAMES = [
    *("Ana", " Ana ", "   ", "\u200b", "A\u200b", "\u202eA", "A\u202e", "A\0", "A\n", "\tA"),
    *("a" * 32, "a" * 33, "🂡" * 32, "🂡" * 33, "e\u0301", "\u0301e", "É", "한", "\u3164"),
    *(" " * 31 + "a", " " * 32 + "a", "<script>", "A\u00a0B", "A B", "👩\u200d🚀", "\U000e0041"),
]

WORDS = [
    *("", "QS", "qs", "QS\n", "\nQS", "\uff31\uff33", "Q", "1S", "QSQS", "one", "auto", "off"),
    *("a1" * 32, "A1" * 32, "a1" * 31, "a1" * 32 + "\n", "٣", "4", "true", "null", "2" * 257),
]

OTHERS = [
    *(None, True, False, [], {}, [[]], [None], [1], ["QS"], ["QS", "QS"], DECK, [*DECK, "2C"]),
    *(DECK[:20], DECK[:21], ["left"], ["left"] * 12, ["left"] * 13, ["up"], {"kind": "human"}),
    *({"JD": 1}, {"JD": 1.0}, {"jd": 1}, {"JD": "1"}, {"JD": True}, {"JD": 1001}, {"A": 1}),
    *([{"kind": "human"}] * 2, [{"kind": "human"}] * 3, [{"kind": "bot"}]),
    *([{"kind": "human"}] * 11, [{"kind": "human"}] * 12),
]

ODD = [*NUMBERS, *NAMES, *WORDS, *OTHERS]


def neighbours(body) -> Iterator[Any]:
    """Yield bodies that differ from *body* in one value, or by one member more or less."""
    for path, value in nodes(body):
        yield from (changed(body, path, odd) for odd in ODD)
        if path:
            yield without(body, path)
        if isinstance(value, dict):
            yield changed(body, (*path, "unforeseen"), 1)
