"""Commands to the store's server and their answers, with nothing sent twice by itself.

redis-py as shipped sends a command again when its answer does not come, even where the
server has carried it out. Here connections do not retry. A broken connection is
replaced for reads alone; after a write it is told apart whether anything was sent.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import BlockingConnectionPool
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ConnectionError,  # noqa: A004 - redis-py's own
    NoScriptError,
    RedisError,
    ResponseError,
)
from redis.retry import Retry

from service.store.base import AnswerLost, StoreUnavailableError

TIMEOUT_SECONDS: Final = 1.0
CONNECTIONS: Final = 64
READ_RETRIES: Final = 2
_IDLE_SECONDS: Final = 5
_REFUSALS: Final = (ResponseError, AuthenticationError, AuthorizationError, BusyLoadingError)
"""The server answered, and says that it did nothing."""

Command: TypeAlias = Sequence[str | bytes | int]
_Connection: TypeAlias = Any  # redis-py annotates few of the methods used here


class Wire:
    """A bounded pool of connections to one server; a caller waits a second for a free one."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pool: Any = BlockingConnectionPool.from_url(
            url, max_connections=CONNECTIONS, timeout=TIMEOUT_SECONDS, **_options()
        )

    def read(self, commands: Sequence[Command]) -> list[Any]:
        """Return the answers to *commands*, which change nothing, in the same order.

        A broken connection is replaced twice; a time-out is not waited for again, since
        whoever asks has a bound of its own.

        Raises:
            StoreUnavailableError: The server does not answer, or refuses.
        """
        with _Held(self._pool) as connection:
            retries = READ_RETRIES
            while True:
                try:
                    return _answers(connection, commands)
                except ConnectionError as exc:
                    if isinstance(exc, _REFUSALS) or not retries:
                        raise
                retries -= 1
                connection.disconnect()

    def write(self, command: Command, *, before: Command) -> Any:  # noqa: ANN401 - any answer
        """Return the answer to *command*, sent once.

        *before* prepares a server that says it does not know the script.

        Raises:
            StoreUnavailableError: Nothing was sent, or the server did nothing.
            AnswerLost: It may have been carried out.
        """
        with _Held(self._pool) as connection:
            # A connection that died while nobody used it is found before anything is sent.
            connection.check_health()
            try:
                return _doubted_answer(connection, command)
            except NoScriptError:
                _answers(connection, [before])
            return _doubted_answer(connection, command)

    def client(self) -> Redis:
        """Return a client with connections of its own, which the pool does not count."""
        # Who listens for hours asks by itself whether the connection still lives.
        client: Redis = Redis.from_url(self._url, **_options() | {"health_check_interval": 0})
        return client

    def close(self) -> None:
        """Close all connections."""
        self._pool.disconnect()


class _Held:
    """A connection of *pool* while it is used, where what goes wrong is told as ours."""

    def __init__(self, pool: Any) -> None:  # noqa: ANN401 - redis-py's
        self._pool = pool

    def __enter__(self) -> _Connection:
        try:
            self._connection = self._pool.get_connection()
        except RedisError as exc:
            raise StoreUnavailableError(str(exc)) from exc
        return self._connection

    def __exit__(self, kind: object, exc: BaseException | None, trace: object) -> None:
        if exc is not None:
            # An answer may still come: the next to use this connection would take it for its own.
            self._connection.disconnect()
        self._pool.release(self._connection)
        if isinstance(exc, RedisError):
            raise StoreUnavailableError(str(exc)) from exc


def _options() -> dict[str, Any]:
    return {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
        "health_check_interval": _IDLE_SECONDS,
        # Under RESP3 redis-py lets stale connections out of the pool unchecked.
        "protocol": 2,
    }


def _answers(connection: _Connection, commands: Sequence[Command]) -> list[Any]:
    connection.send_packed_command(connection.pack_commands(commands))
    return [connection.read_response() for _ in commands]


def _doubted_answer(connection: _Connection, command: Command) -> Any:  # noqa: ANN401
    try:
        return _answers(connection, [command])[0]
    except _REFUSALS:
        raise
    except RedisError as exc:
        raise AnswerLost(str(exc)) from exc
