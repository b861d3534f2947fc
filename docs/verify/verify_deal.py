"""Checks deals of hearts-shuffle-1: python3 verify_deal.py COMMITMENT < proofs, one on a line."""

import hashlib
import hmac
import json
import sys

PACK = [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]
MEMBERS = ("scheme", "game_id", "deal", "players", "client_seeds", "deck", "seed", "hands", "kitty")


def stream(key, text):
    for block in range(256):
        yield from hmac.digest(key, f"{text}|{block}".encode(), "sha256")


def is_right(proof, commitment):
    scheme, game, deal, players, seeds, deck, seed, hands, kitty = (proof[name] for name in MEMBERS)
    key = end = bytes.fromhex(seed)
    for _ in range(min(deal, 256)):
        end = hashlib.sha256(end).digest()
    text = "|".join([scheme, game, str(deal), str(players), ",".join(seeds)])
    numbers, order, size = stream(key, text), list(deck), len(deck) // players
    for i in range(len(order) - 1, 0, -1):
        j = next(n for n in numbers if n < 256 - 256 % (i + 1)) % (i + 1)
        order[i], order[j] = order[j], order[i]
    pack = [card for card in PACK * (2 if len(deck) > len(set(deck)) else 1) if card in deck]
    dealt = [order[p * size : p * size + size] for p in range(players)]
    return (
        (scheme, game, seed, deck) == ("hearts-shuffle-1", commitment[:32], key.hex(), pack)
        and (len(seeds), end.hex()) == (players, commitment)
        and [*dealt, order[players * size :]] == [*hands, kitty]
    )


for line in sys.stdin:
    try:
        print("ok" if is_right(json.loads(line), sys.argv[1]) else "wrong")
    except (ArithmeticError, LookupError, StopIteration, TypeError, ValueError):
        print("wrong")
