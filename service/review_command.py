"""`hearts review`: what the decisions of a game have cost, in the terminal.

It judges here and now, by the file alone, and comes to the same figures as the service.
"""

from collections.abc import Callable, Iterator, Sequence
from math import fsum
from typing import Final, NamedTuple

from engine.analysis.decisions import PlayedDeal, played_deals
from engine.analysis.mistakes import sentence
from engine.analysis.outset import outset
from engine.analysis.review import DealReview, SeatReview, Verdict, judge, seat_reviews
from engine.events import Event
from engine.evolve import fold
from engine.seats import Seat
from engine.state import table_of
from service.analyses.results import leads_of
from service.sources import UnfitFileError, plain
from service.verify_command import form_of, refuse_document

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_PLAIN: Final = {**dict(zip(map(ord, _BLOCKS), "_.-:=+*#", strict=True)), ord("±"): "+-"}
_WIDEST_NAME: Final = 20
_HEADS: Final = ("points", "even", "cards", "play", "rest", "mistakes")
_CELL: Final = 9


class Reviewed(NamedTuple):
    """The *deals* of a game that were judged, with what came of it, and who sat where."""

    names: Sequence[str]
    deals: Sequence[PlayedDeal]
    reviews: Sequence[DealReview]
    verdicts: Sequence[Verdict]


def review(
    source: str, raw: bytes, level: str, deal: int | None, tell: Callable[[int, int], object]
) -> Reviewed:
    """Return what there is to say of the game in *raw*, or of its one *deal*.

    *tell* is told, after each decision, how many are judged and how many there are.

    Raises:
        UnfitFileError: It is not the file of a whole game, or has no such deal.
    """
    refuse_document(source, raw)
    report, _, events, *_ = form_of(raw).examine(raw)
    if not events or not report.is_valid:
        why = "the game goes on" if report.is_valid else "it is not right, hearts verify says why"
        raise UnfitFileError(f"{source}: {why}")
    deals = [one for one in played_deals(events) if deal in {None, one.number}]
    if not deals:
        what = "no deal was" if deal is None else f"deal {deal} was not"
        raise UnfitFileError(f"{source}: {what} played to its end")
    verdicts = list(_judged(deals, level, tell))
    reviews = [DealReview(one.number, one.points, outset(one)) for one in deals]
    return Reviewed(_names(events), deals, reviews, verdicts)


def _judged(
    deals: Sequence[PlayedDeal], level: str, tell: Callable[[int, int], object]
) -> Iterator[Verdict]:
    done, everything = 0, sum(len(deal.decisions) for deal in deals)
    for deal in deals:
        for decision in deal.decisions:
            yield judge(deal, decision, level)
            done += 1
            tell(done, everything)


def _names(events: Sequence[Event]) -> list[str]:
    state = fold(None, events)
    assert state is not None, "a game has events"
    players = enumerate(table_of(state).players)
    return [
        f"{seat} {plain(player.name or player.level or '')[:_WIDEST_NAME]}"
        for seat, player in players
    ]


def told(reviewed: Reviewed, encoding: str) -> str:
    """Return *reviewed* as text for a terminal of that *encoding*, without a last line feed."""
    text = "\n".join(_lines(reviewed))
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


def _lines(reviewed: Reviewed) -> Iterator[str]:
    names, deals, reviews, verdicts = reviewed
    width = max(map(len, names))
    seats = seat_reviews(reviews, verdicts, len(names))
    yield f"{'':{width}}{''.join(f'{head:>{_CELL}}' for head in _HEADS)}"
    for name, seat in zip(names, seats, strict=True):
        yield f"{name:{width}}{''.join(f'{cell:>{_CELL}}' for cell in _cells(seat))}"
    yield ""
    yield from _chart(names, deals, verdicts, width)
    leads, rules = leads_of(deals), deals[0].rules
    for name, seat in zip(names, seats, strict=True):
        yield ""
        yield name
        for one in seat.dearest:
            yield f"  {sentence(one, rules, is_lead=one.seq in leads)}"
        if not seat.dearest:
            yield "  no mistake that stands out"


def _cells(seat: SeatReview) -> tuple[str, ...]:
    return (
        str(seat.points),
        f"{seat.even:.1f}",
        f"{seat.cards:+.1f}",
        f"{seat.play:+.1f}",
        f"{seat.rest:+.1f}",
        f"{seat.mistakes}/{seat.decisions}",
    )


def _chart(
    names: Sequence[str], deals: Sequence[PlayedDeal], verdicts: Sequence[Verdict], width: int
) -> Iterator[str]:
    """Yield what mistakes have cost each seat so far, deal by deal, or trick by trick of one."""
    by_deal = len(deals) > 1
    steps = sorted({_step(one, by_deal=by_deal) for one in verdicts})
    rows = [_sums(seat, steps, verdicts, by_deal=by_deal) for seat in range(len(names))]
    most = max(row[-1] for row in rows)
    yield f"What mistakes have cost so far, {'deal by deal' if by_deal else 'trick by trick'}:"
    for name, row in zip(names, rows, strict=True):
        yield f"{name:{width}}  {''.join(_block(one, most) for one in row)}  {row[-1]:.1f}"


def _step(verdict: Verdict, *, by_deal: bool) -> int:
    return verdict.deal if by_deal else verdict.trick


def _sums(
    seat: Seat, steps: Sequence[int], verdicts: Sequence[Verdict], *, by_deal: bool
) -> list[float]:
    own = [one for one in verdicts if one.seat == seat]
    return [
        round(fsum(one.counted for one in own if _step(one, by_deal=by_deal) <= step), 2)
        for step in steps
    ]


def _block(points: float, most: float) -> str:
    return _BLOCKS[round(points / most * (len(_BLOCKS) - 1))] if most else _BLOCKS[0]
