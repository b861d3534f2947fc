from typing import get_args, get_type_hints

from engine import bots, clocks, commands, errors, reasons, rules, scoring
from engine.analysis import HINT_BUDGETS
from engine.analysis.review import EFFORTS
from engine.presets import PRESETS
from engine.state import Status
from engine.table_data import (
    COMMITTED,
    SEEDED,
    lobby_word,
    switch_word,
)
from engine.verify.report import Verdict
from service import quotas
from service.analyses import records
from service.api.catalogue import FEATURES
from service.problem_codes import HELP, Help
from service.store.event_types import TYPE_NAMES
from service.webhooks import deliveries, messages, sending, signing
from service.webhooks.endpoints import DISABLED_REASONS
from tests.contract.drift import code_drift, enum_drift
from tests.contract.spec import contract

# Each enumeration with a name in the contract, and the words of the code.
WORDS = {
    "AbortReason": reasons.ABORT_REASONS,
    "AnalysisLevel": EFFORTS,
    "AnalysisStatus": records.STATUSES,
    "Auto": commands.AUTOMATIC,
    "BotLevel": bots.LEVELS,
    "CheckStatus": ["pass", "fail"],
    "ControlReason": reasons.CONTROL_REASONS,
    "DealingMode": [COMMITTED, SEEDED],
    "EventType": TYPE_NAMES,
    "ExtensionReason": reasons.EXTENSION_REASONS,
    "Feature": FEATURES,
    "FinishReason": scoring.Reason,
    "FirstTrickPoints": rules.FirstTrickPoints,
    "HeartsAndQueen": rules.HeartsAndQueen,
    "HeartsBrokenBy": rules.BrokenBy,
    "HeartsLead": rules.HeartsLead,
    "HintLevel": HINT_BUDGETS,
    "HintReason": reasons.HINT_REASONS,
    "HintsOption": [switch_word(is_on=is_on) for is_on in (True, False)],
    "KittyTo": rules.KittyTo,
    "KnowledgeOption": [switch_word(is_on=is_on) for is_on in (True, False)],
    "Leftover": rules.Leftover,
    "LobbyState": [lobby_word(is_open=is_open) for is_open in (True, False)],
    "MoonChoice": scoring.MoonChoice,
    "MoonNeeds": rules.MoonNeeds,
    "MoonRule": rules.Moon,
    "MoveReason": reasons.MOVE_REASONS,
    "OnAllIdle": clocks.OnAllIdle,
    "OnTimeout": clocks.OnTimeout,
    "OpeningLead": rules.OpeningLead,
    "PassDirection": rules.Direction,
    "PresetName": PRESETS,
    "ProblemCode": HELP,
    "QueenLimit": rules.QueenLimit,
    "RatePolicy": quotas.QUOTAS,
    "Reach": rules.Reach,
    "ReleaseReason": [reasons.LEFT, reasons.BOT_REMOVED],
    "Retry": get_args(get_type_hints(Help)["retry"]),
    "Reveal": rules.Reveal,
    "ShotKind": scoring.ShotKind,
    "Status": Status,
    "Suit": "CDHS",
    "Tie": rules.Tie,
    "Verdict": Verdict,
    "Visibility": commands.VISIBILITIES,
    "VoidReason": reasons.VOID_REASONS,
    "WebhookDeliveryStatus": deliveries.STATUSES,
    "WebhookDisabledReason": DISABLED_REASONS,
    "WebhookDropReason": deliveries.DROP_REASONS,
    "WebhookError": sending.ERRORS,
    "WebhookEvent": messages.TYPES,
    "WebhookSigning": signing.SCHEMES,
}


def refusals(kind=errors.RuleViolation):
    """Yield the classes below *kind* that have a code of their own."""
    for one in kind.__subclasses__():
        if "code" in vars(one):
            yield one
        yield from refusals(one)


def test_every_list_of_words_is_the_code_s():
    assert enum_drift(contract(), WORDS) == []


def test_every_code_stands_in_an_answer_with_its_status():
    statuses = dict.fromkeys(HELP) | {one.code: 409 for one in refusals()}
    statuses |= {"seat_not_found": 404}

    assert code_drift(contract(), statuses) == []


def test_no_two_refusals_share_a_code():
    codes = [one.code for one in refusals()]

    assert len(set(codes)) == len(codes)


def test_a_forbidden_card_names_a_rule_of_the_code():
    schema = contract().document["components"]["schemas"]["ForbiddenCard"]["properties"]
    plays = list(refusals(errors.IllegalPlay))

    assert set(schema["code"]["enum"]) == {one.code for one in plays}
    assert set(schema["rule"]["enum"]) == {one.option for one in plays}


def test_the_unions_of_the_contract_are_the_code_s():
    schemas = contract().document["components"]["schemas"]

    assert set(schemas["Removal"]["oneOf"][0]["enum"]) == {*rules.Removal}
    assert set(schemas["HeartPoints"]["oneOf"][0]["enum"]) == {*rules.HeartPoints}
