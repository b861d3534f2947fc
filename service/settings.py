"""What the environment says, read once at the start and checked as a whole.

Every setting has a default under which one machine runs everything with
nothing configured. Without HEARTS_EVENTS_URL the store is the private server
of `hearts up`, at a socket whose place follows from the data folder alone, so
that a command started beside it finds the same store. What is secret may stand in
a file instead, which its setting with _FILE names. The table in README.md explains
each setting to its users.
"""

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, cast
from urllib.parse import quote

from service.quotas import QUOTAS, Quota, quota_in
from service.settings_reader import (
    Reader,
    folder,
    header,
    host,
    number_within,
    store_url,
)

Durability = Literal["buffered", "fsync"]
OnOff = Literal["on", "off"]
LogLevel = Literal["debug", "info", "warning", "error"]
Targets = Literal["public", "any"]

# A socket's path has 108 bytes on Linux and 104 elsewhere, with a final NUL.
SOCKET_PATH_BYTES: Final = 103

_QUOTA_NAMES: Final = MappingProxyType({one: f"HEARTS_RATE_{one.upper()}" for one in QUOTAS})
_SECRETS: Final = (
    "HEARTS_EVENTS_URL",
    "HEARTS_ARCHIVE_URL",
    "HEARTS_QUEUE_URL",
    "HEARTS_RATE_URL",
    "HEARTS_SECRET_KEYS",
    "HEARTS_WEBHOOKS_URL",
)
NAMES: Final = frozenset(
    {
        "HEARTS_HOST",
        "HEARTS_PORT",
        "HEARTS_DATA_DIR",
        "HEARTS_WORKERS",
        "HEARTS_ARCHIVE_AFTER_SECONDS",
        "HEARTS_RETAIN_DAYS",
        "HEARTS_API_THREADS",
        "HEARTS_STREAMS",
        "HEARTS_STREAMS_PER_TOKEN",
        "HEARTS_STREAMS_PER_ADDRESS",
        "HEARTS_STREAM_SECONDS",
        "HEARTS_LOBBY_HOURS",
        "HEARTS_BOT_DELAY",
        "HEARTS_HEARTBEAT_SECONDS",
        "HEARTS_ADDRESS_HEADER",
        "HEARTS_RATE_LIMITS",
        *_QUOTA_NAMES.values(),
        "HEARTS_METRICS_HOST",
        "HEARTS_METRICS_PORT",
        "HEARTS_LOG_LEVEL",
        "HEARTS_DURABILITY",
        "HEARTS_REVOKED_KEYS",
        "HEARTS_WEBHOOK_TARGETS",
        "HEARTS_WEBHOOK_WORKERS",
        *_SECRETS,
        *(f"{name}_FILE" for name in _SECRETS),
    }
)
"""All settings; any other variable that begins like them is a misspelling."""

USUAL_GRACE_SECONDS: Final = 86_400
SHORTEST_GRACE_SECONDS: Final = 60
_A_HOST = "an address or a host's name"
_A_GRACE = f"0, or a whole number from {SHORTEST_GRACE_SECONDS} to 999999999"
_A_QUOTA = "a number of requests and one of seconds, such as 600/60"
_A_STORE = "a redis://, rediss:// or unix:// address"


_SOME_NUMBERS = "numbers of application keys, 12 hex digits each, separated by commas"


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings of one process.

    *secret_keys* has at least one key of at least 32 bytes: the first signs,
    all verify. *is_embedded* says that nobody named a store, so that it is the
    private server of `hearts up`; *events_url* is then that server's socket.
    *port* 0 asks for any free port. *streams* are those of a stream process; a process that
    serves everything has room for half of its threads. *address_header* is the header in
    which a proxy names the client's address, empty without one. *quotas* has one for each
    policy, counted if *rate_limits* says so. *metrics_port* 0 is none.
    *revoked_keys* has the numbers of application keys.
    *archive_after_seconds* 0 is never, *retain_days* 0 is for ever; *archive_url* is the store
    for who archives.
    *webhooks_url* is where endpoints of webhooks and their deliveries are kept.
    """

    host: str
    port: int
    data_dir: Path
    events_url: str = field(repr=False)  # may hold a password
    archive_url: str = field(repr=False)
    queue_url: str = field(repr=False)
    rate_url: str = field(repr=False)
    webhooks_url: str = field(repr=False)
    secret_keys: tuple[bytes, ...] = field(repr=False)
    workers: int
    archive_after_seconds: int
    retain_days: int
    api_threads: int
    streams: int
    streams_per_token: int
    streams_per_address: int
    stream_seconds: int
    lobby_hours: int
    bot_delay_ms: int
    heartbeat_seconds: int
    address_header: str
    rate_limits: OnOff
    quotas: Mapping[str, Quota]
    metrics_host: str
    metrics_port: int
    log_level: LogLevel
    durability: Durability
    revoked_keys: frozenset[str]
    webhook_targets: Targets
    webhook_workers: int
    is_embedded: bool


def load(
    environ: Mapping[str, str] = os.environ,
    *,
    needs: Sequence[str] = (),
    makes_secret: bool = True,
) -> Settings:
    """Read and check all settings; an empty value counts as not given.

    *needs* names secrets that have no default here. Otherwise the secret in the
    data folder stands in for HEARTS_SECRET_KEYS. It is made there, with the
    folder, the first time, unless *makes_secret* says that it must be there.

    Raises:
        SettingsError: One or more values are wrong or missing, or a name is none of `NAMES`;
            it names them all.
    """
    reader = Reader(environ, NAMES)
    reader.refuse_unknown()
    reader.require(needs)
    data_dir = reader.value("HEARTS_DATA_DIR", "./.hearts", folder, "the path of a folder")
    events_url = reader.secret("HEARTS_EVENTS_URL", _private_url(data_dir), store_url, _A_STORE)
    queue_url = reader.secret("HEARTS_QUEUE_URL", events_url, store_url, _A_STORE)
    settings = Settings(
        host=reader.value("HEARTS_HOST", "127.0.0.1", host, _A_HOST),
        port=reader.number("HEARTS_PORT", 8000, 0, 65_535),
        data_dir=data_dir,
        events_url=events_url,
        archive_url=reader.secret("HEARTS_ARCHIVE_URL", events_url, store_url, _A_STORE),
        queue_url=queue_url,
        rate_url=reader.secret("HEARTS_RATE_URL", queue_url, store_url, _A_STORE),
        webhooks_url=reader.secret("HEARTS_WEBHOOKS_URL", events_url, store_url, _A_STORE),
        workers=reader.number("HEARTS_WORKERS", 2, 1, 64),
        archive_after_seconds=reader.value(
            "HEARTS_ARCHIVE_AFTER_SECONDS", str(USUAL_GRACE_SECONDS), _archive_after, _A_GRACE
        ),
        retain_days=reader.number("HEARTS_RETAIN_DAYS", 0, 0, 36_500),
        api_threads=reader.number("HEARTS_API_THREADS", 64, 4, 512),
        streams=reader.number("HEARTS_STREAMS", 512, 1, 10_000),
        streams_per_token=reader.number("HEARTS_STREAMS_PER_TOKEN", 4, 1, 1000),
        streams_per_address=reader.number("HEARTS_STREAMS_PER_ADDRESS", 20, 1, 10_000),
        lobby_hours=reader.number("HEARTS_LOBBY_HOURS", 24, 1, 8_760),
        bot_delay_ms=reader.number("HEARTS_BOT_DELAY", 250, 0, 2_000),
        stream_seconds=reader.number("HEARTS_STREAM_SECONDS", 900, 1, 86_400),
        heartbeat_seconds=reader.number("HEARTS_HEARTBEAT_SECONDS", 15, 1, 60),
        address_header=reader.value("HEARTS_ADDRESS_HEADER", "", header, "the name of a header"),
        rate_limits=cast("OnOff", reader.word("HEARTS_RATE_LIMITS", "on", OnOff)),
        quotas={
            policy: reader.value(_QUOTA_NAMES[policy], str(quota), quota_in, _A_QUOTA)
            for policy, quota in QUOTAS.items()
        },
        metrics_host=reader.value("HEARTS_METRICS_HOST", "127.0.0.1", host, _A_HOST),
        metrics_port=reader.number("HEARTS_METRICS_PORT", 0, 0, 65_535),
        log_level=cast("LogLevel", reader.word("HEARTS_LOG_LEVEL", "info", LogLevel)),
        durability=cast("Durability", reader.word("HEARTS_DURABILITY", "buffered", Durability)),
        revoked_keys=reader.value("HEARTS_REVOKED_KEYS", "", _key_numbers, _SOME_NUMBERS),
        webhook_targets=cast("Targets", reader.word("HEARTS_WEBHOOK_TARGETS", "public", Targets)),
        webhook_workers=reader.number("HEARTS_WEBHOOK_WORKERS", 1, 0, 16),
        is_embedded=not reader.has_secret("HEARTS_EVENTS_URL"),
        secret_keys=reader.keys("HEARTS_SECRET_KEYS", data_dir / "secret", makes=makes_secret),
    )
    reader.refuse()
    return settings


def private_socket(data_dir: Path) -> Path:
    """Return where the private store of *data_dir* listens.

    In the data folder, or in a short folder of this user when the path would
    be too long for a socket. Nothing is made.
    """
    folder = f"hearts-{os.getuid()}-{sha256(os.fsencode(data_dir)).hexdigest()[:16]}"
    # The folder for temporary files can be as deep as the data folder.
    parents = (tempfile.gettempdir(), "/tmp")  # noqa: S108 - this user's folder in it is private
    places = [
        place / "redis.sock"
        for place in (data_dir / "store", *(Path(parent, folder) for parent in parents))
    ]
    return next(
        (place for place in places if len(os.fsencode(place)) <= SOCKET_PATH_BYTES), places[-1]
    )


def socket_url(socket: Path) -> str:
    """Return the address of a store that listens at *socket*, an absolute path."""
    return f"unix://{quote(str(socket))}"


def _archive_after(text: str) -> int:
    # A request that began before the end must not come after the archive.
    return 0 if text == "0" else number_within(text, SHORTEST_GRACE_SECONDS, 999_999_999)


def _key_numbers(text: str) -> frozenset[str]:
    numbers = frozenset(number.strip() for number in text.split(",") if number.strip())
    if not all(re.fullmatch("[0-9a-f]{12}", number) for number in numbers):
        raise ValueError(text)
    return numbers


def _private_url(data_dir: Path) -> str:
    return socket_url(private_socket(data_dir))
