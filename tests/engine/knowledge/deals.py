"""Small deals of just some cards."""

from engine.cards import CODES
from tests.table import a_new_deal, rules

HOLD = {"cycle": ["hold"]}
LEFT = {"cycle": ["left"], "count": 1}


def dealt(*hands, preset="standard", kitty="", **options):
    """Return a new deal of these hands and nothing else, in its pass if there is one."""
    used = {code for some in (*hands, kitty) for code in some.split()}
    deck = {"remove": [code for code in CODES if code not in used]}
    if kitty:
        deck["leftover"] = "kitty"
    return a_new_deal(
        rules=rules(preset, len(hands), deck=deck, **{"passing": HOLD, **options}),
        kitty=kitty,
        **{f"seat{seat}": some for seat, some in enumerate(hands)},
    )
