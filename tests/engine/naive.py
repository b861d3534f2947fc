"""The rules a second time, by lists and strings, for comparison with the engine.

Written from docs/rules.md alone. It shares no code with the engine and is meant to be slow
and plain; rules come as the plain object that clients read, events leave in the form that
clients read.
"""

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDSH" for rank in RANKS]
REMOVED = {
    3: ["2D"],
    4: [],
    5: ["2D", "2C"],
    6: ["2D", "3D", "3C", "4C"],
    7: ["2D", "3D", "3C"],
}


def deck(rules):
    """Return the cards in play."""
    remove = rules["deck"]["remove"]
    packs = rules["deck"]["packs"]
    if remove == "standard":
        remove = REMOVED[rules["seats"]] if packs == 1 else []
    if remove == "none":
        remove = []
    return [card for card in PACK * packs if card not in remove]


def worth(card, rules):
    """Return the points of one card."""
    scoring = rules["scoring"]
    rank, suit = card
    if card in scoring["extra"]:
        return scoring["extra"][card]
    if card == "QS":
        return scoring["queen_of_spades"]
    if suit != "H":
        return 0
    if scoring["hearts"] == "one":
        return 1
    if scoring["hearts"] == "rank":
        return RANKS.index(rank) + 2
    return scoring["hearts"].get(rank, 0)


def in_order(cards):
    """Return cards as hands are written."""
    return sorted(cards, key=PACK.index)


def add(cards, rules):
    """Return the points of some cards."""
    return sum(worth(card, rules) for card in cards)


def penalties(rules):
    """Return the cards in play that count above nothing."""
    return [card for card in deck(rules) if worth(card, rules) > 0]


class Game:
    """One game: told what is dealt and what each seat does, it says what must happen.

    Every method returns events as a type, its public part, and its private parts by owner.
    """

    def __init__(self, rules, version):
        self.rules = rules
        self.seats = range(rules["seats"])
        self.totals = [0 for _ in self.seats]
        self.deals = 0
        self.version = version  # how many events there were before the first deal
        self.over = False

    def happened(self, event_type, private=None, /, **data):
        self.version += 1
        return event_type, data, private or {}

    def deal(self, hands, kitty):
        """Deal these *hands* and this *kitty*, lists of cards."""
        self.deals += 1
        self.kitty = list(kitty)
        self.hands = [list(hand) for hand in hands]
        self.taken = [[] for _ in self.seats]
        self.tricks = [0 for _ in self.seats]
        self.passed = {}
        self.trick, self.trick_number, self.broken = [], 1, False
        self.riding = []
        self.opens = self.leader = self.shooter = None
        self.dealer = (self.deals - 2) % len(self.seats)

        cycle = self.rules["passing"]["cycle"]
        self.direction = cycle[(self.deals - 1) % len(cycle)]
        self.count = self.rules["passing"]["count"]
        if self.direction == "scatter":
            self.count = len(self.seats) - 1
        if self.direction == "hold":
            self.count = 0
        elif self.count == 0:
            self.direction = None
        if self.count == 0:
            self.find_leader()
        private = {str(seat): {"hand": in_order(hand)} for seat, hand in enumerate(hands)}
        if kitty:
            private["table"] = {"kitty": in_order(kitty)}
        dealt = self.happened(
            "deal.dealt",
            private,
            deal=self.deals,
            dealer=self.dealer,
            hand_sizes=[len(hand) for hand in hands],
            kitty_size=len(kitty),
            **{"pass": self.direction},
            pass_count=self.count,
            leader=self.leader,
            opening_card=self.opens,
        )
        self.turn = self.version
        return [dealt]

    def find_leader(self):
        eldest = (self.dealer + 1) % len(self.seats)
        self.leader = eldest
        if self.rules["play"]["opening_lead"] == "eldest":
            return
        for club in [rank + "C" for rank in RANKS]:
            for step in self.seats:
                seat = (eldest + step) % len(self.seats)
                if club in self.hands[seat]:
                    self.leader, self.opens = seat, club
                    return

    def to_act(self):
        """Return the seats that are to act, and what they are to do."""
        if self.over:
            return None, []
        if self.shooter is not None:
            return "moon", [self.shooter]
        if self.leader is None:
            return "pass", [seat for seat in self.seats if seat not in self.passed]
        return "play", [(self.leader + len(self.trick)) % len(self.seats)]

    def pass_cards(self, seat, cards):
        cards = list(cards) if self.direction == "scatter" else in_order(cards)
        self.passed[seat] = cards
        for card in cards:
            self.hands[seat].remove(card)
        events = [
            self.happened(
                "cards.passed",
                {str(seat): {"cards": cards}},
                deal=self.deals,
                seat=seat,
                count=len(cards),
                turn_id=self.turn,
                auto=None,
            )
        ]
        if len(self.passed) == len(self.seats):
            events.append(self.hand_over())
        return events

    def hand_over(self):
        number = len(self.seats)
        received = {str(seat): {"received": []} for seat in self.seats}
        for giver in self.seats:
            cards, gifts = self.passed[giver], {}
            for place, card in enumerate(cards):
                steps = {
                    "left": 1,
                    "right": number - 1,
                    "across": number // 2,
                    "left2": 2,
                    "right2": number - 2,
                    "scatter": place + 1,
                }
                taker = (giver + steps[self.direction]) % number
                self.hands[taker].append(card)
                gifts.setdefault(taker, []).append(card)
            for taker, some in gifts.items():
                received[str(taker)]["received"].append({"from": giver, "cards": in_order(some)})
        self.find_leader()
        done = self.happened(
            "pass.completed",
            received,
            deal=self.deals,
            leader=self.leader,
            opening_card=self.opens,
        )
        self.turn = self.version
        return done

    def filters(self, hand):
        """Return the filters of docs/rules.md, section 2: pairs of a code and what is left."""
        play = self.rules["play"]
        first_trick, leading = self.trick_number == 1, not self.trick
        if leading and first_trick and self.opens is not None:
            if play["opening_lead"] == "lowest_club":
                return [("must_lead_lowest_club", [self.opens])]
            return [("must_lead_a_club", [card for card in hand if card[1] == "C"])]

        steps, chosen = [], hand
        if not leading:
            led = self.trick[0][1][1]
            chosen = [card for card in chosen if card[1] == led] or chosen
            steps.append(("must_follow_suit", chosen))
        if first_trick and play["first_trick_points"] == "forbidden":
            chosen = [card for card in chosen if worth(card, self.rules) <= 0] or chosen
            steps.append(("no_points_on_first_trick", chosen))
        if not self.broken and not (leading and self.may_lead_any(chosen)):
            waits = self.waits_to_be_led if leading else self.waits_to_be_played
            chosen = [card for card in chosen if not waits(card)] or chosen
            steps.append(("broken", chosen))
        return steps

    def queen_limit(self):
        if self.rules["scoring"]["queen_of_spades"] == 0:
            return None
        return self.rules["play"]["queen"]

    def may_lead_any(self, chosen):
        return (
            self.queen_limit() == "free"
            and self.rules["play"]["hearts_and_queen"] == "free_choice"
            and all(card[1] == "H" or card == "QS" for card in chosen)
        )

    def waits_to_be_led(self, card):
        if card == "QS":
            return self.queen_limit() in ("no_lead_until_broken", "no_play_until_broken")
        return card[1] == "H" and self.rules["play"]["hearts_lead"] == "after_broken"

    def waits_to_be_played(self, card):
        return card == "QS" and self.queen_limit() == "no_play_until_broken"

    def choices(self, seat):
        """Return the legal cards of *seat*, and for each other card the code that refuses it."""
        legal, refused = list(self.hands[seat]), {}
        for code, left in self.filters(self.hands[seat]):
            for card in legal:
                if card not in left:
                    refused[card] = self.named(code, card)
            legal = [card for card in legal if card in left]
        return legal, refused

    def named(self, code, card):
        if code != "broken":
            return code
        return "queen_not_before_hearts" if card == "QS" else "hearts_not_broken"

    def play(self, seat, card):
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        breaks = not self.broken and self.breaks(card)
        self.broken = self.broken or breaks
        events = [
            self.happened(
                "card.played",
                deal=self.deals,
                trick=self.trick_number,
                seat=seat,
                card=card,
                turn_id=self.turn,
                broke_hearts=breaks,
                auto=None,
            )
        ]
        if len(self.trick) == len(self.seats):
            events += self.complete_trick()
        self.turn = self.version
        return events

    def breaks(self, card):
        if card[1] == "H":
            return True
        return (
            card == "QS"
            and self.rules["play"]["hearts_broken_by"] == "heart_or_queen"
            and self.rules["scoring"]["queen_of_spades"] > 0
        )

    def complete_trick(self):
        cards = [card for _, card in self.trick]
        last = not any(self.hands)
        winner = self.winner(cards)
        if winner is None and last:
            winner = self.leader
        rode, won = list(self.riding), []
        self.riding += cards
        if winner is not None:
            won, self.riding = self.riding, []
            self.taken[winner] += won
            self.tricks[winner] += 1
            self.leader = winner
        takes_kitty = bool(self.kitty) and winner is not None and self.goes_with(won, last)
        event = self.happened(
            "trick.completed",
            deal=self.deals,
            trick=self.trick_number,
            winner=winner,
            points=add(won, self.rules),
            cards=cards,
            leader=None if last else self.leader,
            takes_kitty=takes_kitty,
            carried=rode,
        )
        self.trick = []
        self.trick_number += 1
        events = [event]
        if takes_kitty:
            events.append(
                self.happened(
                    "kitty.taken",
                    {str(winner): {"cards": in_order(self.kitty)}},
                    deal=self.deals,
                    seat=winner,
                    count=len(self.kitty),
                )
            )
            self.taken[winner] += self.kitty
            self.kitty = []
        if last:
            events += self.end_deal()
        return events

    def winner(self, cards):
        """Return who played the highest card of the suit led; with pairs that cancel, or None."""
        best = None
        for seat, card in self.trick:
            if card[1] != cards[0][1]:
                continue
            if self.rules["play"]["cancel_pairs"] and cards.count(card) == 2:
                continue
            if best is None or RANKS.index(card[0]) > RANKS.index(best[1][0]):
                best = (seat, card)
        return None if best is None else best[0]

    def goes_with(self, cards, last):
        """Return whether the kitty goes with a trick of these cards."""
        to = self.rules["deck"]["kitty_to"]
        if to == "first_trick":
            return True
        if to == "last_trick":
            return last
        return last or any(worth(card, self.rules) > 0 for card in cards)

    def end_deal(self):
        kind, shooter, points = self.shot()
        if kind is None:
            return self.score(None)
        moon = self.rules["scoring"]["moon"]
        event = self.happened(
            "moon.shot",
            deal=self.deals,
            seat=shooter,
            kind=kind,
            points=points,
            choice_required=moon == "shooter_choice",
        )
        if moon == "shooter_choice":
            self.shooter = shooter
            return [event]
        if moon == "safety":
            moon = self.safe_choice(kind, shooter, points)
        return [
            event,
            *self.score({"seat": shooter, "kind": kind, "points": points, "choice": moon}),
        ]

    def shot(self):
        scoring = self.rules["scoring"]
        if scoring["moon"] == "off":
            return None, None, None
        in_play = deck(self.rules)
        for seat in self.seats:
            if scoring["sun_points"] is not None and len(self.taken[seat]) == len(in_play):
                return "sun", seat, scoring["sun_points"]
        needed = penalties(self.rules)
        if not needed:
            return None, None, None
        points = scoring["moon_points"]
        if points == "auto":
            points = add(needed, self.rules)
        if scoring["moon_needs"] == "counters":
            needed = [card for card in in_play if worth(card, self.rules) != 0]
        if scoring["moon_needs"] == "tricks":
            needed = in_play
        for seat in self.seats:
            if all(self.taken[seat].count(card) >= needed.count(card) for card in needed):
                return "moon", seat, points
        return None, None, None

    def safe_choice(self, kind, shooter, points):
        added = self.changes(
            {"seat": shooter, "kind": kind, "points": points, "choice": "others_add"}
        )
        totals = [total + change for total, change in zip(self.totals, added, strict=True)]
        reason = self.ending(totals, self.deals)
        if reason is None or totals[shooter] == min(totals):
            return "others_add"
        return "self_subtract"

    def choose(self, seat, choice):
        kind, shooter, points = self.shot()
        event = self.happened(
            "moon.chosen",
            deal=self.deals,
            seat=seat,
            choice=choice,
            turn_id=self.turn,
            auto=None,
        )
        self.shooter = None
        moon = {"seat": shooter, "kind": kind, "points": points, "choice": choice}
        return [event, *self.score(moon)]

    def changes(self, moon):
        """Return what each seat's total changes by."""
        result = []
        for seat in self.seats:
            cards, points = self.taken[seat], 0
            if moon is None:
                points = sum(max(0, worth(card, self.rules)) for card in cards)
            elif moon["choice"] == "others_add" and seat != moon["seat"]:
                points = moon["points"]
            elif moon["choice"] == "self_subtract" and seat == moon["seat"]:
                points = -moon["points"]
            absorbed = (
                moon is not None
                and seat == moon["seat"]
                and self.rules["scoring"]["moon_absorbs_bonus"]
            )
            if not absorbed:
                points += sum(min(0, worth(card, self.rules)) for card in cards)
            if not cards:
                points += self.rules["scoring"]["no_trick"]
            result.append(points)
        return result

    def score(self, moon):
        changes = self.changes(moon)
        self.totals = [total + change for total, change in zip(self.totals, changes, strict=True)]
        scored = self.happened(
            "deal.scored",
            deal=self.deals,
            taken=[add(cards, self.rules) for cards in self.taken],
            points=changes,
            totals=list(self.totals),
            moon=moon,
        )
        reason = self.ending(self.totals, self.deals)
        if reason is None:
            return [scored]
        self.over = True
        lowest = min(self.totals)
        finished = self.happened(
            "game.finished",
            totals=list(self.totals),
            places=[1 + len([t for t in self.totals if t < total]) for total in self.totals],
            winners=[seat for seat in self.seats if self.totals[seat] == lowest],
            reason=reason,
        )
        return [scored, finished]

    def ending(self, totals, deals):
        """Return why a game with these *totals* is over, or None if it goes on."""
        ending, reason = self.rules["ending"], None
        if ending["deals"] is not None and deals >= ending["deals"]:
            reason = "deals_played"
        if ending["target"] is not None:
            for total in totals:
                if total > ending["target"]:
                    reason = "target_reached"
                if total == ending["target"] and ending["reach"] == "at_least":
                    reason = "target_reached"
        tied = len([total for total in totals if total == min(totals)]) > 1
        if reason is not None and tied and ending["tie"] == "play_on":
            reason = None
        if reason is None and deals == 256:
            return "too_long"
        return reason
