"""Dealing the next deal of a game, and opening deals that are over.

Source: docs/rules.md, section 1; docs/fairness.md, points 4 to 8.
"""

from engine import events as e
from engine.cards import CardSet, union
from engine.passing import direction_of, pass_size
from engine.playing import opening
from engine.rules import Reveal
from engine.seats import PerSeat, dealer_of
from engine.shuffle import Links, deal_hands, game_id_of
from engine.state import Table


def next_deal(table: Table, links: Links, skip: int = 0) -> e.DealDealt:
    """Return the deal that follows on those of *table*, leaving *skip* links out."""
    deal, game_id = table.deals + 1 + skip, game_id_of(table.chain_commitment)
    hands = deal_hands(table.rules, links(deal), game_id, deal, table.client_seeds)
    return given_deal(table, deal, hands)


def given_deal(table: Table, deal: int, hands: PerSeat[CardSet]) -> e.DealDealt:
    """Return the deal of that number, with *hands* as they were dealt at *table*."""
    rules = table.rules
    kitty = rules.cards & ~union(hands)
    direction = direction_of(rules, deal)
    count = pass_size(rules, direction)
    leader, card = (None, None) if count else opening(rules, hands, deal)
    dealer = dealer_of(deal, rules.seats)
    return e.DealDealt(deal, dealer, direction, count, leader, card, hands, kitty)


def opened_deal(table: Table, links: Links) -> e.Opened | None:
    """Return the last deal laid open, or None where the rules open all at the end."""
    if table.rules.reveal is Reveal.GAME_END:
        return None
    number = table.deals
    return e.Opened(number, links(number), table.dealt[-1], table.kitties[-1])


def unopened_deals(table: Table, links: Links) -> tuple[e.Opened, ...]:
    """Return the deals, laid open, that no event has opened yet."""
    opened = table.ended if table.rules.reveal is Reveal.DEAL_END else 0
    return tuple(
        e.Opened(number, links(number), hands, kitty)
        for number, hands, kitty in zip(table.numbers, table.dealt, table.kitties, strict=True)
        if number > opened
    )
