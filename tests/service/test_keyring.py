"""What is derived from the app's secret: the same for ever, and nobody else's."""

import base64
import hashlib

import pytest

from engine.commands import SeedChain
from engine.shuffle import is_link
from service.keyring import Credential, InvalidTokenError, Keyring, MissingKeyError, fresh_nonce

OLD, NEW = b"the old secret of 32 bytes or so", b"the new secret of 32 bytes or so"
GAME = "00112233445566778899aabbccddeeff"
NONCE = "5a" * 32


@pytest.fixture
def keyring():
    return Keyring([OLD])


@pytest.fixture
def rotated():
    return Keyring([NEW, OLD])


# Chains


def test_a_chain_is_fixed_by_secret_and_nonce(keyring):
    first = keyring.commitment(NONCE, keyring.current)

    assert Keyring([OLD]).commitment(NONCE, keyring.current) == first
    assert keyring.commitment("5b" * 32, keyring.current) != first
    assert Keyring([NEW]).commitment(NONCE, Keyring([NEW]).current) != first


def test_every_link_leads_to_the_commitment(keyring):
    commitment = keyring.commitment(NONCE, keyring.current)
    link = keyring.links(NONCE, keyring.current, commitment)

    assert all(is_link(link(deal), deal, commitment) for deal in (1, 2, 100, 256))
    assert hashlib.sha256(bytes.fromhex(link(2))).hexdigest() == link(1)


def test_running_games_go_on_when_a_key_is_put_first(keyring, rotated):
    commitment = keyring.commitment(NONCE, keyring.current)

    assert rotated.current != keyring.current
    assert rotated.links(NONCE, keyring.current, commitment)(3) == (
        keyring.links(NONCE, keyring.current, commitment)(3)
    )


def test_a_key_that_is_gone_is_missed_when_a_link_is_asked_for(keyring):
    commitment = keyring.commitment(NONCE, keyring.current)
    link = Keyring([NEW]).links(NONCE, keyring.current, commitment)

    with pytest.raises(MissingKeyError, match=keyring.current):
        link(1)


def test_a_link_that_does_not_lead_to_the_commitment_is_not_given(keyring):
    link = keyring.links(NONCE, keyring.current, "0" * 64)

    with pytest.raises(MissingKeyError, match="commitment"):
        link(1)


def test_the_chain_of_a_seed_needs_no_secret(keyring, rotated):
    chain = keyring.seed_chain("5eed" * 16)
    link = rotated.seed_links(chain)

    assert chain == rotated.seed_chain("5eed" * 16) != keyring.seed_chain("0eed" * 16)
    assert link(256) == "5eed" * 16
    assert all(is_link(link(deal), deal, chain.commitment) for deal in (1, 2, 100, 256))


@pytest.mark.parametrize("seed", [None, "0eed" * 16])
def test_a_chain_without_its_seed_gives_no_link(keyring, seed):
    link = keyring.seed_links(SeedChain("0" * 64, seed))

    with pytest.raises(MissingKeyError, match="seed"):
        link(1)


def test_no_text_of_a_chain_has_its_seed(keyring):
    assert "5eed" not in repr(keyring.seed_chain("5eed" * 16))


def test_a_keyed_nonce_is_found_again_and_depends_on_everything(keyring, rotated):
    nonce = keyring.nonce("create", "k" * 22, keyring.current)

    assert rotated.nonce("create", "k" * 22, keyring.current) == nonce
    others = {
        keyring.nonce("import", "k" * 22, keyring.current),
        keyring.nonce("create", "l" * 22, keyring.current),
        rotated.nonce("create", "k" * 22, rotated.current),
    }
    assert len(others | {nonce}) == 4
    assert len(bytes.fromhex(nonce)) == 32


def test_a_nonce_without_a_key_is_nobodys_guess():
    assert len({fresh_nonce() for _ in range(100)}) == 100
    assert len(bytes.fromhex(fresh_nonce())) == 32


def test_the_name_of_a_key_does_not_give_it_away(keyring):
    assert len(keyring.current) == 8
    assert keyring.current not in OLD.hex()
    assert Keyring([NEW, OLD]).key_ids == (Keyring([NEW]).current, keyring.current)


# Tokens


@pytest.mark.parametrize("seat", range(7))
def test_a_seat_token_says_game_seat_and_grant(keyring, seat):
    token = keyring.seat_token(GAME, seat, 1_234_567, keyring.current)

    assert keyring.read(token) == Credential("seat", GAME, seat, 1_234_567)
    assert token.startswith("hst_")


def test_a_host_token_says_game_and_grant(keyring):
    token = keyring.host_token(GAME, 1, keyring.current)

    assert keyring.read(token) == Credential("host", GAME, None, 1)
    assert token.startswith("hht_")


def test_the_same_token_is_made_again(keyring):
    tokens = {keyring.seat_token(GAME, 1, 5, keyring.current) for _ in range(3)}

    assert len(tokens) == 1


def test_tokens_of_an_older_key_are_still_read(keyring, rotated):
    token = keyring.seat_token(GAME, 1, 5, keyring.current)

    assert rotated.read(token) == keyring.read(token)
    assert rotated.read(rotated.seat_token(GAME, 1, 5, rotated.current)).seat == 1


def test_tokens_of_another_secret_are_refused(keyring):
    other = Keyring([NEW])

    with pytest.raises(InvalidTokenError):
        keyring.read(other.seat_token(GAME, 1, 5, other.current))


def test_no_changed_character_goes_unnoticed(keyring):
    token = keyring.seat_token(GAME, 1, 5, keyring.current)

    for place, character in enumerate(token):
        for other in {"A", "B", "-", "."} - {character}:
            with pytest.raises(InvalidTokenError):
                keyring.read(token[:place] + other + token[place + 1 :])


def test_a_seat_token_is_no_host_token(keyring):
    seat = keyring.seat_token(GAME, 255, 1, keyring.current)
    host = keyring.host_token(GAME, 1, keyring.current)

    for forged in ("hht_" + seat[4:], "hst_" + host[4:]):
        with pytest.raises(InvalidTokenError):
            keyring.read(forged)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hst_",
        "hst_.",
        "hst_AAAA.BBBB",
        "hak_" + "A" * 75,
        "hst_" + "A" * 10_000,
        "hst_é",
        "hst_\x00",
        "hst_" + base64.urlsafe_b64encode(bytes(23)).decode(),
    ],
)
def test_what_is_no_token_is_refused(keyring, text):
    """Fault case 59."""
    with pytest.raises(InvalidTokenError):
        keyring.read(text)


def test_a_token_cannot_be_made_with_a_key_that_is_not_there(keyring):
    with pytest.raises(MissingKeyError):
        keyring.seat_token(GAME, 1, 5, "00000000")
