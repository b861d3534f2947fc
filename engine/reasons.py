"""The words by which events say why: of ends, of seats that change hands, of turns."""

from typing import Final

TIMEOUT: Final = "timeout"
OUTAGE: Final = "outage"
EXTENSION_REASONS: Final = (OUTAGE,)

ABORTED_BY_HOST: Final = "host"
ALL_IDLE: Final = "all_idle"
LOBBY_EXPIRED: Final = "lobby_expired"
ABORT_REASONS: Final = (ABORTED_BY_HOST, TIMEOUT, ALL_IDLE, LOBBY_EXPIRED)

STORE_REWOUND: Final = "store_rewound"
STORE_RESTORED: Final = "store_restored"
VOID_REASONS: Final = (STORE_REWOUND, STORE_RESTORED)
"""Why a deal does not count: a service found that the store has lost what it remembers, or the
operator has put back an older store."""

ONLY_MOVE: Final = "only_move"
BEST_PLACE: Final = "best_place"
NO_CLEAR_DIFFERENCE: Final = "no_clear_difference"
DEAREST_CARD: Final = "dearest_card"
DEAREST_LEFT: Final = "dearest_left"
OWN_MOON: Final = "own_moon"
OTHER_MOON: Final = "other_moon"
FEWER_POINTS: Final = "fewer_points"
MORE_FOR_OTHERS: Final = "more_for_others"
MOVE_REASONS: Final = (
    *(DEAREST_CARD, DEAREST_LEFT, OWN_MOON, OTHER_MOON, FEWER_POINTS, MORE_FOR_OTHERS),
)
"""What makes up most of the difference between a move and a worse one."""

HINT_REASONS: Final = (ONLY_MOVE, BEST_PLACE, NO_CLEAR_DIFFERENCE, *MOVE_REASONS)
"""Why a hint names its move: what makes up most of a difference, or why none does."""

LEFT: Final = "left"
BOT_REMOVED: Final = "bot_removed"
"""Why a seat was released."""

RELEASED: Final = "released"
KICKED: Final = "kicked"
REISSUED: Final = "reissued"
HANDED_OVER: Final = "handed_over"
RETURNED: Final = "returned"
PLAYED: Final = "played"
UNCHANGED: Final = "unchanged"
IDLE: Final = "idle"
CONTROL_REASONS: Final = (
    *(RELEASED, KICKED, REISSUED, HANDED_OVER, RETURNED, PLAYED, UNCHANGED, TIMEOUT, IDLE),
)
"""Why somebody else plays a seat. `PLAYED` says that its player is back with the move that
follows; `UNCHANGED`, that somebody asked for what held already."""
