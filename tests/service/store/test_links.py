"""Links of chains, of which the last says the others."""

import random
from hashlib import sha256

from service.store.links import thickened, thinned


def chain(tip, length):
    links = [tip]
    while len(links) < length:
        links.append(sha256(links[-1]).digest())
    return links[::-1]


def come_back(links):
    derived, kept = thinned(links)
    assert thickened(derived, kept) == links
    return len(kept) // 32


def test_of_a_chain_only_the_last_is_kept():
    assert come_back(chain(b"t" * 32, 20)) == 1
    assert come_back([]) == 0


def test_a_few_links_may_be_left_out():
    links = chain(b"t" * 32, 40)

    assert come_back(links[::8]) == 1
    assert come_back(links[::9]) == 5


def test_what_comes_twice_is_kept_once_and_all_else_as_it_is():
    rng = random.Random(2)
    seeds = [rng.randbytes(32) for _ in range(4)]

    assert come_back([*seeds, *seeds]) == 4
    assert come_back([seeds[0], *chain(seeds[1], 5), seeds[2], *chain(seeds[3], 3)]) == 4
