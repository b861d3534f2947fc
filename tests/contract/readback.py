"""A finished log read back by rules of its own: the tricks, the points, the totals, the deals.

Nothing here asks the engine: cards are texts, and the shuffle is written once more from
its description.
"""

import hashlib
import hmac
from collections import Counter
from itertools import chain, count, groupby, pairwise

RANKS = "23456789TJQKA"
DECK = [rank + suit for suit in "CDSH" for rank in RANKS]
PLACES = {"left": 1, "right": -1, "left2": 2, "right2": -2}


class Readback:
    """The log of one game that is over, as `all` sees it.

    *copied* is the number of the deal with which a fork goes on, *totals* are those before it;
    its log has the events of the origin in place of the one that sets the position.
    """

    def __init__(self, log, copied=None, totals=None):
        self.log = log
        self.copied = copied
        self.created = self._only("game.created")
        changes = [one["data"]["changes"] for one in self._of("game.options_changed")]
        self.rules = [self.created, *changes][-1]["rules"]
        self.seats = self.rules["seats"]
        self.seeds = self._only("game.started")["client_seeds"]
        self.totals = [0] * self.seats if totals is None else totals

    def _only(self, kind):
        (event,) = [one for one in self.log if one["type"] == kind]
        return event["data"]

    def _of(self, kind):
        return [one for one in self.log if one["type"] == kind]

    def check(self):
        """Check every deal and return the result that the log adds up to."""
        of_a_deal = [one for one in self.log if "deal" in one["data"]]
        deals = [
            (number, list(events))
            for number, events in groupby(of_a_deal, key=lambda one: one["data"]["deal"])
        ]
        self._check_numbers([number for number, _ in deals])
        self.check_deals()
        scored = [events for _, events in deals if events[-1]["type"] != "deal.voided"]
        for events in scored:
            self._check_deal(events)
        places = [1 + sum(other < total for other in self.totals) for total in self.totals]
        winners = [seat for seat, place in enumerate(places) if place == 1]
        finished = {"totals": self.totals, "places": places, "winners": winners}
        assert self._only("game.finished").items() >= finished.items()
        before = (self.copied or 1) - 1
        return {**finished, "reason": self._reason(before + len(scored))}

    def _check_numbers(self, numbers):
        """Deals count up from the first; only after a voided one some may be left out."""
        voided = {one["data"]["deal"] for one in self._of("deal.voided")}
        assert numbers[0] == (self.copied or 1)
        for before, number in pairwise(numbers):
            assert number == before + 1 or (number > before and before in voided)

    def _reason(self, deals):
        ending, highest = self.rules["ending"], max(self.totals)
        target = ending["target"]
        if target is not None and (
            highest > target or (highest == target and ending["reach"] == "at_least")
        ):
            return "target_reached"
        assert deals >= ending["deals"]
        return "deals_played"

    def _check_deal(self, events):
        by_type = {}
        for one in events:
            by_type.setdefault(one["type"], []).append(one)
        (dealt,) = by_type["deal.dealt"]
        hands = self._hands(dealt)
        self._pass(dealt["data"], hands, by_type)
        taken = self._check_tricks(hands, by_type)
        self._award_kitty(self._kitty(dealt), taken, by_type)
        self._check_scores(taken, by_type)

    def _kitty(self, dealt):
        """Return the kitty of a deal; who has none is not told of it."""
        kitty = dealt["private"].get("table", {"kitty": []})["kitty"]
        assert len(kitty) == dealt["data"]["kitty_size"]
        return list(kitty)

    def _hands(self, dealt):
        return [list(dealt["private"][str(seat)]["hand"]) for seat in range(self.seats)]

    def _pass(self, dealt, hands, by_type):
        passes = {
            one["data"]["seat"]: one["private"][str(one["data"]["seat"])]["cards"]
            for one in by_type.get("cards.passed", [])
        }
        assert len(passes) == (self.seats if dealt["pass_count"] else 0)
        gifts = [[] for _ in range(self.seats)]
        for giver in sorted(passes):
            cards = passes[giver]
            assert len(cards) == dealt["pass_count"]
            for card in cards:
                hands[giver].remove(card)
            for taker, some in self._sent(dealt["pass"], giver, cards):
                gifts[taker].append({"from": giver, "cards": sorted(some, key=DECK.index)})
        if passes:
            (completed,) = by_type["pass.completed"]
            told = [completed["private"][str(seat)]["received"] for seat in range(self.seats)]
            assert told == gifts
        for taker, received in enumerate(gifts):
            hands[taker] += [card for gift in received for card in gift["cards"]]

    def _sent(self, direction, giver, cards):
        if direction == "scatter":
            return [((giver + step) % self.seats, [card]) for step, card in enumerate(cards, 1)]
        step = PLACES.get(direction, self.seats // 2)
        return [((giver + step) % self.seats, cards)]

    def _check_tricks(self, hands, by_type):
        taken, riding = [[] for _ in range(self.seats)], []
        plays = [one["data"] for one in by_type["card.played"]]
        tricks = [one["data"] for one in by_type["trick.completed"]]
        assert len(plays) == self.seats * len(tricks) == sum(map(len, hands))
        for number, trick in enumerate(tricks, 1):
            some, plays = plays[: self.seats], plays[self.seats :]
            cards = [play["card"] for play in some]
            for place, play in enumerate(some):
                assert play["trick"] == trick["trick"] == number
                assert play["seat"] == (some[0]["seat"] + place) % self.seats
                hands[play["seat"]].remove(play["card"])
            winner, leader = self._winner(some, is_last=not plays), some[0]["seat"]
            follows = leader if winner is None else winner
            assert (trick["winner"], trick["cards"], trick["carried"]) == (winner, cards, riding)
            assert trick["leader"] == (follows if plays else None)
            assert not plays or plays[0]["seat"] == follows
            riding = [*riding, *cards]
            assert trick["points"] == (0 if winner is None else self._points(riding))
            if winner is not None:
                taken[winner] += riding
                riding = []
        return taken

    def _winner(self, plays, *, is_last):
        """Return who wins the trick: the highest of its suit that is not cancelled."""
        led = [play for play in plays if play["card"][1] == plays[0]["card"][1]]
        if self.rules["play"]["cancel_pairs"]:
            cards = [play["card"] for play in plays]
            led = [play for play in led if cards.count(play["card"]) == 1]
        if not led:
            return plays[0]["seat"] if is_last else None
        return max(led, key=lambda play: RANKS.index(play["card"][0]))["seat"]

    def _award_kitty(self, kitty, taken, by_type):
        """Give the kitty to whom the rules name, and check that the log says the same."""
        tricks = [one["data"] for one in by_type["trick.completed"]]
        won = [one for one in tricks if one["winner"] is not None]
        wanted = {
            "first_trick": won,
            "first_penalty_trick": [
                one for one in won if self._has_penalty([*one["cards"], *one["carried"]])
            ],
            "last_trick": [],
        }[self.rules["deck"]["kitty_to"]]
        trick = [*wanted, tricks[-1]][0] if kitty else None
        assert [one for one in tricks if one["takes_kitty"]] == ([trick] if kitty else [])
        told = [(one["data"]["seat"], one["private"]) for one in by_type.get("kitty.taken", [])]
        if kitty:
            assert told == [(trick["winner"], {str(trick["winner"]): {"cards": kitty}})]
            taken[trick["winner"]] += kitty
        else:
            assert not told

    def _has_penalty(self, cards):
        return any(self._points([card]) > 0 for card in cards)

    def _points(self, cards):
        scoring = self.rules["scoring"]
        return sum(scoring["extra"].get(card, _card_points(card, scoring)) for card in cards)

    def _check_scores(self, taken, by_type):
        (scored,) = (one["data"] for one in by_type["deal.scored"])
        assert scored["taken"] == [self._points(cards) for cards in taken]
        shots = [one["data"] for one in by_type.get("moon.shot", [])]
        assert len(shots) == (0 if scored["moon"] is None else 1)
        for shot in shots:
            self._check_moon(shot, scored["moon"], taken, by_type)
        assert scored["points"] == [
            self._change(seat, cards, scored["moon"]) for seat, cards in enumerate(taken)
        ]
        self.totals = [a + b for a, b in zip(self.totals, scored["points"], strict=True)]
        assert scored["totals"] == self.totals

    def _check_moon(self, shot, moon, taken, by_type):
        scoring = self.rules["scoring"]
        assert {name: shot[name] for name in ("seat", "kind", "points")}.items() <= moon.items()
        left = [card for seat, cards in enumerate(taken) if seat != shot["seat"] for card in cards]
        assert all(self._points([card]) <= 0 for card in left)
        worth = sum(max(0, self._points([card])) for cards in taken for card in cards)
        if shot["kind"] == "sun":
            assert (shot["points"], left) == (scoring["sun_points"], [])
        else:
            assert shot["points"] == (
                worth if scoring["moon_points"] == "auto" else scoring["moon_points"]
            )
        chosen = [one["data"]["choice"] for one in by_type.get("moon.chosen", [])]
        assert shot["choice_required"] == (scoring["moon"] == "shooter_choice")
        assert chosen == ([moon["choice"]] if shot["choice_required"] else [])

    def _change(self, seat, cards, moon):
        """Return by how much the total of *seat*, which took *cards*, must change."""
        scoring, is_shooter = self.rules["scoring"], moon is not None and moon["seat"] == seat
        bonus = sum(min(0, self._points([card])) for card in cards)
        if not cards:
            bonus = scoring["no_trick"]
        elif is_shooter and scoring["moon_absorbs_bonus"]:
            bonus = 0
        if moon is None:
            return bonus + sum(max(0, self._points([card])) for card in cards)
        if moon["choice"] == "self_subtract":
            return bonus - (moon["points"] if is_shooter else 0)
        return bonus + (0 if is_shooter else moon["points"])

    # --- dealing

    def check_deals(self):
        """Deal once more from the links that were opened, and compare."""
        opened = self._opened()
        for dealt in self._of("deal.dealt"):
            number, hands = dealt["data"]["deal"], self._hands(dealt)
            kitty = self._kitty(dealt)
            assert [len(hand) for hand in hands] == dealt["data"]["hand_sizes"]
            assert (opened[number]["hands"], opened[number]["kitty"]) == (hands, kitty)
            self._check_link(number, opened[number]["seed"])
            if number != self.copied:
                self._check_shuffle(number, [*hands, kitty], opened[number]["seed"])
        assert opened.keys() == {one["data"]["deal"] for one in self._of("deal.dealt")}

    def _check_link(self, number, seed):
        link = bytes.fromhex(seed)
        for _ in range(number):
            link = hashlib.sha256(link).digest()
        assert link.hex() == self._chain()

    def _check_shuffle(self, number, parts, seed):
        fresh = [sorted(hand, key=DECK.index) for hand in self._dealt(seed, number)]
        assert parts == fresh
        assert Counter(chain(*parts)) == Counter(self._deck())

    def _chain(self):
        fairness = self.created["fairness"]
        return fairness["deals_commitment"] or fairness["commitment"]

    def _opened(self):
        """Return what was revealed, by deal: at its end, or at the end of all."""
        ended = [one["data"] for one in (*self._of("deal.scored"), *self._of("deal.voided"))]
        at_once = {one["deal"]: one["reveal"] for one in ended if one["reveal"] is not None}
        assert len(at_once) == (len(ended) if self.rules["reveal"] == "deal_end" else 0)
        late = {one["deal"]: one for one in self.log[-1]["data"]["reveals"]}
        assert not at_once.keys() & late.keys()
        return at_once | late

    def _deck(self):
        removed = self.rules["derived"]["removed"]
        return [card for card in DECK * self.rules["deck"]["packs"] if card not in removed]

    def _dealt(self, seed, number):
        deck = self._deck()
        game_id = self._chain()[:32]
        message = f"hearts-shuffle-1|{game_id}|{number}|{self.seats}|{','.join(self.seeds)}|"
        stream = _bytes(bytes.fromhex(seed), message)
        for size in range(len(deck), 1, -1):
            drawn = next(value for value in stream if value < 256 // size * size) % size
            deck[size - 1], deck[drawn] = deck[drawn], deck[size - 1]
        each = self.rules["derived"]["hand_size"]
        hands = [deck[seat * each : (seat + 1) * each] for seat in range(self.seats)]
        return [*hands, deck[self.seats * each :]]


def _bytes(key, message):
    for block in count():
        yield from hmac.new(key, f"{message}{block}".encode(), hashlib.sha256).digest()


def _card_points(card, scoring):
    if card == "QS":
        return scoring["queen_of_spades"]
    if card[1] != "H":
        return 0
    match scoring["hearts"]:
        case "one":
            return 1
        case "rank":
            return RANKS.index(card[0]) + 2
        case by_rank:
            return by_rank.get(card[0], 0)


def hand_after(log, seat):
    """Return the cards that *seat* holds after *log*, its own view, sorted by text."""
    hand = []
    for one in log:
        data, mine = one["data"], one["private"].get(str(seat), {})
        match one["type"]:
            case "deal.dealt" | "position.set":
                hand = list(mine["hand"])
            case "cards.passed" if mine:
                for card in mine["cards"]:
                    hand.remove(card)
            case "pass.completed":
                hand += [card for gift in mine["received"] for card in gift["cards"]]
            case "card.played" if data["seat"] == seat:
                hand.remove(data["card"])
            case _:
                pass
    return sorted(hand)
