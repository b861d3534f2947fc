"""Tokens and chains: what the secrets sign, and what no change of a token survives."""

import base64
import string

import pytest

from engine.shuffle import game_id_of, is_link
from service.keyring import Credential, InvalidTokenError, Keyring, MissingKeyError, fresh_nonce

FIRST, SECOND = b"the first secret of these tests -", b"the second secret of these tests "
GAME = "8814420b5e0dfb13cdf4b48ef3daab3e"
NONCE = "5a" * 32
KEY = "Zt3uC0f1e6a0a4c0d9b1e2f1d2b1c9a7"
LETTERS = string.ascii_letters + string.digits + "-_"

keyring = Keyring([FIRST])
SEAT_TOKEN = keyring.seat_token(GAME, 2, 1_700, keyring.current)
HOST_TOKEN = keyring.host_token(GAME, 1, keyring.current)


def is_refused(token, by=keyring):
    try:
        by.read(token)
    except InvalidTokenError:
        return True
    return False


def test_a_token_says_what_was_signed():
    assert keyring.read(SEAT_TOKEN) == Credential("seat", GAME, 2, 1_700)
    assert keyring.read(HOST_TOKEN) == Credential("host", GAME, None, 1)


@pytest.mark.parametrize("grant", [0, 1, 2**47])
@pytest.mark.parametrize("seat", [0, 6, 10])
def test_every_seat_and_grant_fits_a_token(seat, grant):
    token = keyring.seat_token(GAME, seat, grant, keyring.current)

    assert keyring.read(token) == Credential("seat", GAME, seat, grant)


def test_the_same_grant_gives_the_same_token():
    assert Keyring([FIRST]).seat_token(GAME, 2, 1_700, keyring.current) == SEAT_TOKEN


@pytest.mark.parametrize("token", [SEAT_TOKEN, HOST_TOKEN])
def test_a_token_with_any_other_character_is_refused(token):
    for place in range(len(token)):
        for letter in {*LETTERS, "=", ".", "!", " ", "\n", "\u00e9"} - {token[place]}:
            changed = token[:place] + letter + token[place + 1 :]

            assert is_refused(changed), changed


@pytest.mark.parametrize("token", [SEAT_TOKEN, HOST_TOKEN])
def test_a_token_has_one_spelling(token):
    for place in range(len(token) + 1):
        for more in ("=", "==", " ", "\n", "\t", "!", "A", ".", "\0", "%", "é", token):
            assert is_refused(token[:place] + more + token[place:])


@pytest.mark.parametrize("token", [SEAT_TOKEN, HOST_TOKEN])
def test_a_part_of_a_token_is_refused(token):
    for place in range(len(token)):
        assert is_refused(token[:place])
        assert is_refused(token[place + 1 :])


def test_the_role_of_a_token_is_signed():
    assert is_refused("hht_" + SEAT_TOKEN[4:])
    assert is_refused("hst_" + HOST_TOKEN[4:])
    assert is_refused("HST_" + SEAT_TOKEN[4:])


def test_a_payload_under_the_signature_of_another_is_refused():
    other = keyring.seat_token(GAME, 3, 1_700, keyring.current)

    assert is_refused(other.partition(".")[0] + "." + SEAT_TOKEN.partition(".")[2])


def test_a_token_signed_with_another_secret_is_refused():
    assert is_refused(SEAT_TOKEN, by=Keyring([SECOND]))


@pytest.mark.parametrize("keys", [[FIRST, SECOND], [SECOND, FIRST]])
def test_every_secret_that_is_listed_verifies(keys):
    assert Keyring(keys).read(SEAT_TOKEN).seat == 2


def test_the_first_secret_is_the_current_one():
    assert Keyring([SECOND, FIRST]).current == Keyring([SECOND]).current
    assert Keyring([SECOND, FIRST]).key_ids == (
        Keyring([SECOND]).current,
        Keyring([FIRST]).current,
    )


def test_a_token_holds_nothing_of_the_secret():
    for token in (SEAT_TOKEN, HOST_TOKEN):
        for part in token[4:].split("."):
            assert FIRST[:8] not in base64.urlsafe_b64decode(part + "==")
    assert FIRST.hex()[:8] != keyring.current


# Chains


def test_the_nonce_of_a_key_is_found_again_by_the_same_secret_alone():
    key_id = keyring.current

    assert keyring.nonce("create", KEY, key_id) == Keyring([FIRST]).nonce("create", KEY, key_id)
    other = Keyring([SECOND])
    assert keyring.nonce("create", KEY, key_id) != other.nonce("create", KEY, other.current)
    assert keyring.nonce("create", KEY, key_id) != keyring.nonce("create", KEY + "x", key_id)
    assert keyring.nonce("create", KEY, key_id) != keyring.nonce("import", KEY, key_id)


def test_nonces_without_a_key_are_never_the_same():
    assert len({fresh_nonce() for _ in range(100)}) == 100


def test_every_link_leads_to_the_commitment():
    commitment = keyring.commitment(NONCE, keyring.current)
    links = keyring.links(NONCE, keyring.current, commitment)

    assert all(is_link(links(deal), deal, commitment) for deal in (1, 2, 255, 256))
    assert len(game_id_of(commitment)) == 32


def test_a_game_of_another_secret_cannot_be_dealt():
    commitment = Keyring([SECOND]).commitment(NONCE, Keyring([SECOND]).current)

    with pytest.raises(MissingKeyError):
        keyring.links(NONCE, Keyring([SECOND]).current, commitment)(1)
    with pytest.raises(MissingKeyError, match="does not lead"):
        keyring.links(NONCE, keyring.current, commitment)(1)
