"""Everything that is derived from the app's secret: chains, nonces and tokens.

Nothing here is stored. A game names the key it was made with, so that a new key can be
put first while running games go on with theirs.

Source: docs/fairness.md, points 1 and 10; openapi.yaml, `securitySchemes`.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from itsdangerous import BadSignature, Signer

from engine.commands import SeedChain
from engine.seats import Seat
from engine.shuffle import Links, chain, is_link

Role: TypeAlias = Literal["seat", "host"]

_PREFIXES: Final[dict[str, Role]] = {"hst_": "seat", "hht_": "host"}
_ID_BYTES: Final = 16
_SEAT_BYTES: Final = 1
_GRANT_BYTES: Final = 6
_TIME_BYTES: Final = 6
_TICKET: Final = "hsk_"
_NO_SEAT: Final = 255
# Base64 of 23 or 29, and of 32 bytes. The last character of a signature stands for four bits:
# the library ignores the other two, and all that is no base64, so one token had many spellings.
_SIGNATURE: Final = r"\.[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{31}" + _SIGNATURE)
_SIGNED_TICKET: Final = re.compile(r"[A-Za-z0-9_-]{39}" + _SIGNATURE)
_APP_KEY: Final = "hak_"
_APP_NAME_BYTES: Final = 24
_NUMBER_BYTES: Final = 6
_NUMBER_DIGITS: Final = 2 * _NUMBER_BYTES
APP_NAME: Final = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{_APP_NAME_BYTES - 1}}}", re.ASCII)
# A number in hex, that of the key, is readable; 12 digits are base64 of 9 bytes as well.
_SIGNED_APP_KEY: Final = re.compile(r"[0-9a-f]{12}[A-Za-z0-9_-]{32}" + _SIGNATURE)
_SALTS: Final = (*_PREFIXES, _TICKET, _APP_KEY)
_TOKENS_KEPT: Final = 4096
_CHAINS_KEPT: Final = 512
_NONCE_BYTES: Final = 32
# Without I, L, O and U, so that a code can be read aloud; it has 50 bits.
_CODE_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_LENGTH: Final = 10


class InvalidTokenError(Exception):
    """A text that is no token of ours."""


class RevokedKeyError(Exception):
    """An application key of ours that is not taken any more."""


class MissingKeyError(Exception):
    """A game was made with a secret that is no longer configured."""


class Credential(NamedTuple):
    """What a genuine token says; *seat* is None for the host's."""

    role: Role
    game_id: str
    seat: Seat | None
    grant: int


class Ticket(NamedTuple):
    """What a genuine ticket says: whose view it opens, and until when, in ms since the epoch."""

    credential: Credential
    expires_at: int


class AppKey(NamedTuple):
    """What a genuine application key says: the name of the *app*, and its own *number*.

    The number, 12 hex digits, is what the key is revoked by.
    """

    app: str
    number: str


class Keyring:
    """The app's secrets: the first signs and opens new games, all of them verify.

    *revoked* has the numbers of the application keys that are not taken any more.
    """

    def __init__(self, keys: Sequence[bytes], revoked: Collection[str] = ()) -> None:
        self._revoked = frozenset(revoked)
        self._keys = {_key_id(key): key for key in keys}
        self.current = _key_id(keys[0])
        # One entry is 257 links, some 19 KB; making one again takes less than a ms.
        self._chain = lru_cache(_CHAINS_KEPT)(self._make_chain)
        self._seed_chain = lru_cache(_CHAINS_KEPT)(_chain_of)
        # The same few tokens come again and again; only genuine ones are remembered.
        self.read = lru_cache(_TOKENS_KEPT)(self._read)
        verifying = list(reversed(keys))
        self._verifiers = {prefix: _signer(verifying, prefix) for prefix in _SALTS}

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The names of all keys, the current one first."""
        return tuple(self._keys)

    def check(self, key_id: str) -> None:
        """Make sure that the named key is there.

        Raises:
            MissingKeyError: It is not configured.
        """
        self._key(key_id)

    def commitment(self, nonce: str, key_id: str) -> str:
        """Return link 0 of the chain that *nonce* and the named key give."""
        return self._chain(nonce, key_id)[0].hex()

    def links(self, nonce: str, key_id: str, commitment: str) -> Links:
        """Return what gives the links of that chain, deal by deal.

        Raises, when called:
            MissingKeyError: The key is not configured, or is another one of that name.
        """

        def link(deal: int) -> str:
            value = self._chain(nonce, key_id)[deal].hex()
            if not is_link(value, deal, commitment):
                msg = f"key {key_id} does not lead to the game's commitment"
                raise MissingKeyError(msg)
            return value

        return link

    def seed_chain(self, seed: str) -> SeedChain:
        """Return the chain that ends in *seed*, 64 hex digits."""
        return SeedChain(self._seed_chain(seed)[0].hex(), seed)

    def seed_links(self, seed_chain: SeedChain) -> Links:
        """Return what gives the links of *seed_chain*, deal by deal.

        Raises, when called:
            MissingKeyError: Its seed is not known, or is another one.
        """

        def link(deal: int) -> str:
            seed, commitment = seed_chain.seed, seed_chain.commitment
            value = None if seed is None else self._seed_chain(seed)[deal].hex()
            if value is None or not is_link(value, deal, commitment):
                msg = "no seed leads to the game's commitment"
                raise MissingKeyError(msg)
            return value

        return link

    def nonce(
        self,
        operation: str,
        idempotency_key: str,
        key_id: str,
        parent: str | None = None,
        app: str | None = None,
    ) -> str:
        """Return the nonce, 64 hex digits, that a repeat of the same request finds again.

        *parent* is the id of the game that the new one is made from, *app* whose key asks.
        """
        text = f"hearts-nonce-1|{operation}|{parent or '-'}|{app or '-'}|{idempotency_key}"
        return hmac.digest(self._key(key_id), text.encode("ascii"), "sha256").hex()

    def webhook_id(self, app: str, idempotency_key: str, key_id: str) -> str:
        """Return the id of the endpoint that *app* makes with that key; a repeat finds it again."""
        text = f"hearts-webhook-1|{app}|{idempotency_key}"
        digest = hmac.digest(self._key(key_id), text.encode("ascii"), "sha256").hex()
        return f"whe_{digest[: 2 * _ID_BYTES]}"

    def webhook_secret(
        self, endpoint_id: str, created_at: int, generation: int, key_id: str
    ) -> bytes:
        """Return what signs the messages to an endpoint that was *created_at* (ms): 32 bytes.

        An id may come a second time, once its endpoint is deleted.

        Raises:
            MissingKeyError: The named key is not configured.
        """
        text = f"hearts-webhook-secret-1|{endpoint_id}|{created_at}|{generation}"
        return hmac.digest(self._key(key_id), text.encode("ascii"), "sha256")

    def join_code(self, game_id: str, key_id: str) -> str:
        """Return what has to be known to claim a seat of a private game."""
        message = f"hearts-join-1|{game_id}".encode("ascii")
        number = int.from_bytes(hmac.digest(self._key(key_id), message, "sha256"), "big")
        return "".join(_CODE_LETTERS[number >> 5 * place & 31] for place in range(_CODE_LENGTH))

    def seat_token(self, game_id: str, seat: Seat, grant: int, key_id: str) -> str:
        """Return the token that acts for *seat*."""
        return self._sign("hst_", _payload(game_id, seat, grant), key_id)

    def host_token(self, game_id: str, grant: int, key_id: str) -> str:
        """Return the token that acts for the host."""
        return self._sign("hht_", _payload(game_id, _NO_SEAT, grant), key_id)

    def ticket(self, game_id: str, seat: Seat, grant: int, expires_at: int, key_id: str) -> str:
        """Return a ticket for the view of *seat* until *expires_at*, in ms since the epoch.

        It dies with the token of the same *grant*.
        """
        payload = _payload(game_id, seat, grant) + expires_at.to_bytes(_TIME_BYTES, "big")
        return self._sign(_TICKET, payload, key_id)

    def read_ticket(self, text: str) -> Ticket:
        """Return what the ticket *text* says, which may have expired.

        Raises:
            InvalidTokenError: It was not signed here, or is no ticket at all.
        """
        if not text.startswith(_TICKET) or not _SIGNED_TICKET.fullmatch(text, len(_TICKET)):
            raise InvalidTokenError
        payload = self._verified(_TICKET, text)
        expires_at = int.from_bytes(payload[-_TIME_BYTES:], "big")
        return Ticket(_credential("seat", payload[:-_TIME_BYTES]), expires_at)

    def app_key(self, app: str, number: str) -> str:
        """Return the key of that *number* for the *app* of that name, one that `APP_NAME` takes."""
        name = app.encode("ascii").ljust(_APP_NAME_BYTES, b"\0")
        return self._sign(_APP_KEY, base64.urlsafe_b64decode(number) + name, self.current)

    def read_app_key(self, text: str) -> AppKey:
        """Return what the application key *text* says.

        Raises:
            InvalidTokenError: It was not signed here, or is no application key at all.
            RevokedKeyError: It was.
        """
        if not text.startswith(_APP_KEY) or not _SIGNED_APP_KEY.fullmatch(text, len(_APP_KEY)):
            raise InvalidTokenError
        name = self._verified(_APP_KEY, text)[-_APP_NAME_BYTES:].rstrip(b"\0").decode("ascii")
        number = text[len(_APP_KEY) :][:_NUMBER_DIGITS]
        if number in self._revoked:
            raise RevokedKeyError
        return AppKey(name, number)

    def _read(self, token: str) -> Credential:
        """Return what *token* says.

        Raises:
            InvalidTokenError: It was not signed here, or is no token at all.
        """
        role = _PREFIXES.get(token[:4])
        if role is None or not _TOKEN.fullmatch(token, len(token[:4])):
            raise InvalidTokenError
        return _credential(role, self._verified(token[:4], token))

    def _verified(self, prefix: str, text: str) -> bytes:
        try:
            signed = self._verifiers[prefix].unsign(text[len(prefix) :])
        except BadSignature:
            raise InvalidTokenError from None
        return base64.urlsafe_b64decode(signed + b"=" * (-len(signed) % 4))

    def _sign(self, prefix: str, payload: bytes, key_id: str) -> str:
        text = base64.urlsafe_b64encode(payload).rstrip(b"=")
        signed: bytes = _signer([self._key(key_id)], prefix).sign(text)
        return prefix + signed.decode("ascii")

    def _make_chain(self, nonce: str, key_id: str) -> tuple[bytes, ...]:
        message = b"hearts-chain-1|" + bytes.fromhex(nonce)
        return chain(hmac.digest(self._key(key_id), message, "sha256"))

    def _key(self, key_id: str) -> bytes:
        try:
            return self._keys[key_id]
        except KeyError:
            msg = f"key {key_id} is not configured"
            raise MissingKeyError(msg) from None


def _chain_of(seed: str) -> tuple[bytes, ...]:
    return chain(bytes.fromhex(seed))


def _signer(keys: list[bytes], prefix: str) -> Signer:
    """Return what signs with the last of *keys* and verifies with all."""
    return Signer(keys, salt=prefix, sep=".", key_derivation="hmac", digest_method=hashlib.sha256)


def fresh_nonce() -> str:
    """Return a nonce nobody can guess: 64 hex digits."""
    return secrets.token_hex(_NONCE_BYTES)


def fresh_number() -> str:
    """Return a number for an application key that no other one has: 12 hex digits."""
    return secrets.token_hex(_NUMBER_BYTES)


def _key_id(key: bytes) -> str:
    return hmac.digest(key, b"hearts-key-id-1", "sha256").hex()[:8]


def _payload(game_id: str, seat: int, grant: int) -> bytes:
    return b"".join(
        (
            bytes.fromhex(game_id),
            seat.to_bytes(_SEAT_BYTES, "big"),
            grant.to_bytes(_GRANT_BYTES, "big"),
        )
    )


def _credential(role: Role, payload: bytes) -> Credential:
    seat = payload[_ID_BYTES]
    return Credential(
        role=role,
        game_id=payload[:_ID_BYTES].hex(),
        seat=None if seat == _NO_SEAT else seat,
        grant=int.from_bytes(payload[_ID_BYTES + _SEAT_BYTES :], "big"),
    )
