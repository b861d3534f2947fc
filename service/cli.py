"""The command line: `hearts up`, `hearts api`, `hearts worker`, `hearts demo` and the like.

Each command is a function here; its first line of help is its docstring.
Exit codes: 0 for a clean end, 1 for what cannot start or did not turn out well,
2 for wrong settings or arguments, and for a game that cannot be read.
"""

import argparse
import errno
import inspect
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from typing import Final

from engine.rules import MOST_DEALS
from service import logs
from service.embedded import CannotStartError
from service.settings import (
    SHORTEST_GRACE_SECONDS,
    USUAL_GRACE_SECONDS,
    Settings,
    load,
)
from service.settings_reader import SettingsError
from service.sources import USUAL_ADDRESS, NoGameThereError, UnfitFileError, shown

_log = logging.getLogger(__name__)


def up(arguments: argparse.Namespace) -> None:
    """Start everything on this machine and keep it running until Ctrl-C."""
    from service import supervisor

    supervisor.up(_settings(), arguments.parent)


def api(arguments: argparse.Namespace) -> None:
    """Run the API alone, for a store and workers of your own, until SIGTERM."""
    from service import supervisor

    supervisor.api(_settings("HEARTS_EVENTS_URL", "HEARTS_SECRET_KEYS"), arguments.parent)


def stream(arguments: argparse.Namespace) -> None:
    """Run a stream process alone, which keeps streams and long polls, until SIGTERM."""
    from service import supervisor

    supervisor.stream(_settings("HEARTS_EVENTS_URL", "HEARTS_SECRET_KEYS"), arguments.parent)


def worker(arguments: argparse.Namespace) -> None:
    """Run one more worker, which moves the bots, until SIGTERM."""
    from service.kernel import StaleKernelError, kernel_kind
    from service.worker import run_worker

    settings = _settings()
    try:
        _log.info("the kernel of playouts is %s", kernel_kind())
    except StaleKernelError as exc:
        raise CannotStartError(str(exc)) from exc
    run_worker(settings, arguments.parent)


def webhooks(arguments: argparse.Namespace) -> None:
    """Run one more process that delivers webhooks, until SIGTERM."""
    from service.webhook_worker import run_webhooks

    run_webhooks(_settings(), arguments.parent)


def demo(arguments: argparse.Namespace) -> int:
    """Play one game over HTTP against three bots, print it, and check its log."""
    from service.demo import run

    return run(arguments.url)


def verify(arguments: argparse.Namespace) -> int:
    """Check the file of a game, as lines or in notation, by playing it again."""
    from service.sources import read_game_file
    from service.verify_command import form_of, refuse_document, told

    raw = read_game_file(arguments.source, "jsonl", arguments.url)
    refuse_document(arguments.source, raw)
    report = form_of(raw).verify(raw)
    _show(told(arguments.source, report))
    return 0 if report.is_valid else 1


def export(arguments: argparse.Namespace) -> None:
    """Write a game of a service to the standard output, as anybody may read it."""
    from service.sources import fetch_export

    raw = fetch_export(arguments.game, arguments.format, arguments.url)
    if sys.stdout.isatty():
        _show(raw.decode(errors="replace").removesuffix("\n"))
        return
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def import_(arguments: argparse.Namespace) -> int:
    """Have a service keep a copy of the game in a file, or at an address."""
    from service.import_command import NotTakenError, send_file
    from service.sources import read_source

    try:
        _show(send_file(read_source(arguments.source, "jsonl"), arguments.url))
    except NotTakenError as exc:
        return _refuse("the file is not taken", exc, code=1)
    return 0


def audit(arguments: argparse.Namespace) -> int:
    """Make every move of a bot, and every hint, in a finished game again from what its seat saw."""
    from service.audit_command import audit as audited
    from service.audit_command import progress, told
    from service.sources import read_game_file

    raw = read_game_file(arguments.source, "jsonl", arguments.url)
    found = audited(arguments.source, raw, progress(sys.stderr))
    _show(told(arguments.source, found))
    return found.exit_code


def replay(arguments: argparse.Namespace) -> None:
    """Show a game deal by deal, forward and back; all of it where nobody can answer."""
    from service.replay_command import first_deal, pages_of, record_in, step_through
    from service.sources import read_game_file

    raw = read_game_file(arguments.source, "hgn", arguments.url)
    record = record_in(arguments.source, raw)
    pages = pages_of(record)
    if sys.stdin.isatty() and sys.stdout.isatty():
        step_through(pages, first_deal(record), input, lambda page: _show(f"\n{page}\n"))
    else:
        _show("\n\n".join(pages))


def review(arguments: argparse.Namespace) -> None:
    """Say what the decisions of a game have cost, what each lost by play, and what by cards."""
    from service.review_command import review, told
    from service.sources import read_game_file

    def tell(done: int, everything: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == everything else ""
            print(f"\r{done} of {everything} decisions", end=end, file=sys.stderr, flush=True)

    raw = read_game_file(arguments.source, "jsonl", arguments.url)
    found = review(arguments.source, raw, arguments.level, arguments.deal, tell)
    _show(told(found, sys.stdout.encoding))


def key(arguments: argparse.Namespace) -> int:
    """Make a key for an application, which is shown once and kept nowhere."""
    from service.keyring import APP_NAME, Keyring, fresh_number

    if not APP_NAME.fullmatch(arguments.name):
        text = "a name has at most 24 of a-z, 0-9, _ and -, and does not begin with _ or -"
        return _refuse("no name of an application", ValueError(text), code=2)
    number = fresh_number()
    # A secret made here and now would be that of no service.
    _say(Keyring(_settings(makes_secret=False).secret_keys).app_key(arguments.name, number))
    print(f"HEARTS_REVOKED_KEYS={number} revokes it.", file=sys.stderr)
    return 0


def void_deals(arguments: argparse.Namespace) -> int:
    """Void the running deals of all games, after an old backup of the store was put back."""
    from service.store.base import StoreUnavailableError
    from service.void_command import Restore, void_all
    from service.wiring import make_deps

    deps = make_deps(_settings("HEARTS_EVENTS_URL", "HEARTS_SECRET_KEYS"))
    # Workers find by themselves which bots are to act, and there may be no queue here.
    deps = replace(deps, notify=lambda _: None)
    try:
        is_done = void_all(deps, Restore(arguments.name, arguments.skip), _say)
    except StoreUnavailableError as exc:
        return _refuse("broken off, the same call again goes on", exc, code=1)
    return 0 if is_done else 1


def archive(arguments: argparse.Namespace) -> int:
    """Archive all games that are over for long; take away those that are kept no longer."""
    from service.archiving import archive_all
    from service.retention import expire_all
    from service.steady import wall_clock
    from service.store.base import StoreUnavailableError
    from service.store.redis_store import RedisStore
    from service.wiring import archive_after_ms, make_retention

    settings = _settings()
    after_ms = (arguments.after or 0) * 1_000 or archive_after_ms(settings)
    store = RedisStore(settings.archive_url)
    retention = make_retention(settings, store, wall_clock)
    try:
        before = wall_clock() - (after_ms or USUAL_GRACE_SECONDS * 1_000)
        is_done = archive_all(store, before, _say)
        if retention is not None:
            is_done &= expire_all(retention, _say)
    except StoreUnavailableError as exc:
        return _refuse("broken off, the same call again goes on", exc, code=1)
    return 0 if is_done else 1


def _say(line: str) -> None:
    _show(line)
    sys.stdout.flush()


def _show(text: str) -> None:
    # Files and servers are a stranger's, and a terminal obeys.
    print(shown(text, sys.stdout.encoding))


def _parent_argument(parser: argparse.ArgumentParser) -> None:
    text = "the id of the process that started this one, which stops when that has ended"
    parser.add_argument("--parent", type=int, metavar="PID", help=text)


def _demo_arguments(parser: argparse.ArgumentParser) -> None:
    text = "play there, such as http://127.0.0.1:8000, and not at a service of its own"
    parser.add_argument("--url", default=os.environ.get("HEARTS_URL"), help=text)


def _source_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", help="a file, or the address of a game or of its export")


def _game_arguments(parser: argparse.ArgumentParser) -> None:
    text = "a file, the id of a game, or the address of a game or of its export"
    parser.add_argument("source", help=text)
    _url_argument(parser)


def _review_arguments(parser: argparse.ArgumentParser) -> None:
    from engine.analysis.review import EFFORTS

    _game_arguments(parser)
    parser.add_argument("--deal", type=int, metavar="N", help="that deal alone")
    text = "how thoroughly, the quicker first"
    parser.add_argument("--level", choices=tuple(EFFORTS), default=next(iter(EFFORTS)), help=text)


def _key_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("new",), help="what to do")
    parser.add_argument("name", help="the application's name; several keys may be one's")


def _void_arguments(parser: argparse.ArgumentParser) -> None:
    text = "names this restore, such as the time of the backup; the same name again goes on"
    parser.add_argument("name", type=_name_of_restore, help=text)
    text = "how many deals of a game can have been dealt since the backup, 0 to 255"
    parser.add_argument("--skip", type=_skipped, required=True, metavar="N", help=text)


def _skipped(text: str) -> int:
    if not text.isdecimal() or int(text) >= MOST_DEALS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to {MOST_DEALS - 1}")
    return int(text)


def _name_of_restore(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("a restore needs a name, such as that of the backup")
    return text


def _archive_arguments(parser: argparse.ArgumentParser) -> None:
    text = f"for how long a game must be over, at least {SHORTEST_GRACE_SECONDS}"
    parser.add_argument("--after", type=_grace, metavar="SECONDS", help=text)


def _grace(text: str) -> int:
    if not text.isdecimal() or int(text) < SHORTEST_GRACE_SECONDS:
        least = f"at least {SHORTEST_GRACE_SECONDS}"
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of seconds, {least}")
    return int(text)


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="the id of a game, or its address")
    text = "hgn (notation, if nothing is said), jsonl (the log) or json (a document)"
    parser.add_argument("--format", choices=("hgn", "jsonl", "json"), default="hgn", help=text)
    _url_argument(parser)


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    _source_argument(parser)
    _url_argument(parser)


def _url_argument(parser: argparse.ArgumentParser) -> None:
    usual = os.environ.get("HEARTS_URL", USUAL_ADDRESS)
    parser.add_argument("--url", default=usual, help=f"the service, usually {usual}")


_COMMANDS = {
    up: _parent_argument,
    api: _parent_argument,
    stream: _parent_argument,
    worker: _parent_argument,
    webhooks: _parent_argument,
    demo: _demo_arguments,
    verify: _game_arguments,
    audit: _game_arguments,
    export: _export_arguments,
    replay: _game_arguments,
    review: _review_arguments,
    import_: _import_arguments,
    key: _key_arguments,
    void_deals: _void_arguments,
    archive: _archive_arguments,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in *arguments* and return the exit code."""
    chosen = _parser().parse_args(arguments)
    # The processes share the cores, and what NumPy multiplies for bots is small.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code: int | None = chosen.run(chosen)
        sys.stdout.flush()
    except SettingsError as exc:
        return _refuse("wrong settings", exc, code=2)
    except CannotStartError as exc:
        return _refuse("cannot start", exc, code=1)
    except (NoGameThereError, UnfitFileError) as exc:
        what = "no game there" if isinstance(exc, NoGameThereError) else "this game will not do"
        return _refuse(what, exc, code=2)
    except BrokenPipeError:
        _write_no_more()
        return 1  # whoever reads has read enough
    except OSError as exc:
        if exc.errno not in _NO_ROOM:
            raise
        _write_no_more()
        return _refuse("cannot write", exc, code=1)
    return code or 0


_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def _write_no_more() -> None:
    # Python would try once more at the end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("hearts", description="The card game Hearts over HTTP.")
    parser.add_argument("--version", action="version", version=metadata.version("hearts-api"))
    commands = parser.add_subparsers(required=True, metavar="command")
    for command, add_arguments in _COMMANDS.items():
        text = inspect.getdoc(command)
        name = command.__name__.rstrip("_").replace("_", "-")
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(run=command)
        add_arguments(added)
    return parser


def _settings(*needs: str, makes_secret: bool = True) -> Settings:
    settings = load(needs=needs, makes_secret=makes_secret)
    logs.configure(settings.log_level)
    return settings


def _refuse(what: str, exc: Exception, *, code: int) -> int:
    print(shown(f"hearts: {what}\n  " + str(exc).replace("\n", "\n  ")), file=sys.stderr)
    return code
