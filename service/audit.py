"""Checks a finished game by its log alone: what it adds up to, and how it was dealt.

The log is what anybody can read over HTTP once a game is over: plain events, as ``all``
sees them. They are added up by a fold that shares nothing with the one behind the API, so
that the two can disagree. The shuffle is the engine's own: what is checked there is that
the links opened belong to the commitment and lead to the hands dealt.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from engine.cards import card
from engine.disclosure import hands_data
from engine.readable import rules_from
from engine.rules import Rules
from engine.shuffle import deal_hands, game_id_of, is_link

Plain: TypeAlias = Mapping[str, Any]

_RANKS: Final = "23456789TJQKA"


def disagreements(log: Sequence[Plain], state: Plain) -> list[str]:
    """Return a sentence for each point in which *log* and the final *state* do not agree.

    *log* has all events of a finished game, as ``all`` sees them; *state* is its public one.
    """
    numbers = [event["seq"] for event in log]
    if not log or numbers != list(range(1, state["version"] + 1)):
        return [f"the log does not run from 1 to {state['version']} without a gap"]
    fold = _Fold(_rules(log))
    for event in log:
        fold.add(event)
    return [*fold.wrong, *fold.against(state["result"]), *_unproven(log, state)]


class _Fold:
    """Adds up what happens at one table, and notes in *wrong* what does not add up."""

    def __init__(self, rules: Rules) -> None:
        self.wrong: list[str] = []
        self._rules = rules
        self._totals = [0] * rules.seats
        self._taken: list[list[str]] = [[] for _ in range(rules.seats)]
        self._trick: list[tuple[int, str]] = []
        self._carried: list[str] = []

    def add(self, event: Plain) -> None:
        """Take *event* into account."""
        data = event["data"]
        match event["type"]:
            case "card.played":
                self._trick.append((data["seat"], data["card"]))
            case "trick.completed":
                self._complete(data)
            case "kitty.taken":
                self._taken[data["seat"]] += event["private"][str(data["seat"])]["cards"]
            case "deal.scored":
                self._score(data)
            case "deal.voided":
                self._taken = [[] for _ in self._totals]
                self._trick, self._carried = [], []
            case _:
                pass  # nothing that counts

    def _complete(self, data: Plain) -> None:
        trick, self._trick = self._trick, []
        winner, cards = self._winner(trick, data), [card for _, card in trick]
        told = (data["winner"], data["cards"], data["carried"])
        if told != (winner, cards, self._carried):
            self.wrong.append(
                f"trick {data['trick']} of deal {data['deal']} is not what was played"
            )
        self._carried += cards
        if winner is not None:
            self._taken[winner] += self._carried
            self._carried = []

    def _winner(self, trick: Sequence[tuple[int, str]], data: Plain) -> int | None:
        """Return who won; a last trick that nobody won is its leader's."""
        leader, first = trick[0]
        led = [(seat, card) for seat, card in trick if card[1] == first[1]]
        if self._rules.play.cancel_pairs:
            cards = [card for _, card in led]
            led = [(seat, card) for seat, card in led if cards.count(card) == 1]
        if not led:
            return leader if data["leader"] is None else None
        winner, _ = max(led, key=lambda play: _RANKS.index(play[1][0]))
        return winner

    def _score(self, data: Plain) -> None:
        points = self._rules.points
        counted = [sum(points.get(card(code), 0) for code in some) for some in self._taken]
        if counted != data["taken"]:
            self.wrong.append(f"the tricks of deal {data['deal']} count {counted}")
        self._taken = [[] for _ in counted]
        self._totals = [sum(pair) for pair in zip(self._totals, data["points"], strict=True)]
        if self._totals != data["totals"]:
            self.wrong.append(f"the totals after deal {data['deal']} are {self._totals}")

    def against(self, result: Plain | None) -> Iterator[str]:
        """Yield what is wrong with *result*, None if the state has none."""
        places = [1 + sum(other < total for other in self._totals) for total in self._totals]
        winners = [seat for seat, place in enumerate(places) if place == 1]
        added_up = {"totals": self._totals, "places": places, "winners": winners}
        for name, value in added_up.items():
            if result is None or result[name] != value:
                yield f"the log adds up to the {name} {value}"


def _unproven(log: Sequence[Plain], state: Plain) -> Iterator[str]:
    """Yield what is wrong with the deals."""
    rules, fairness = _rules(log), _data_of(log, "game.created")["fairness"]
    chain = fairness["deals_commitment"] or fairness["commitment"]
    seeds, opened = _data_of(log, "game.started")["client_seeds"], _opened(log)
    if game_id_of(fairness["commitment"]) != state["id"]:
        yield "the game's id is not the first half of its commitment"
    for event in _of_type(log, "deal.dealt"):
        number = event["data"]["deal"]
        hands = [event["private"][str(seat)]["hand"] for seat in range(rules.seats)]
        link = opened.get(number)
        if link is None:
            yield f"deal {number} was not opened"
        elif not is_link(link, number, chain):
            yield f"the link of deal {number} does not lead to the commitment"
        elif hands_data(deal_hands(rules, link, game_id_of(chain), number, seeds)) != hands:
            yield f"the link of deal {number} does not lead to the hands dealt"


def _rules(log: Sequence[Plain]) -> Rules:
    """Return the rules that held at the start."""
    changes = [event["data"]["changes"] for event in _of_type(log, "game.options_changed")]
    return rules_from([_data_of(log, "game.created"), *changes][-1]["rules"])


def _opened(log: Sequence[Plain]) -> dict[int, str]:
    """Return the links that the log opens, by deal."""
    by_deal = {
        event["data"]["deal"]: event["data"]["reveal"]["seed"]
        for event in [*_of_type(log, "deal.scored"), *_of_type(log, "deal.voided")]
        if event["data"]["reveal"] is not None
    }
    late = _data_of(log, "game.finished")["reveals"]
    return by_deal | {reveal["deal"]: reveal["seed"] for reveal in late}


def _of_type(log: Sequence[Plain], name: str) -> list[Plain]:
    return [event for event in log if event["type"] == name]


def _data_of(log: Sequence[Plain], name: str) -> Plain:
    """Return the data of the one event of that type."""
    (event,) = _of_type(log, name)
    data: Plain = event["data"]
    return data
