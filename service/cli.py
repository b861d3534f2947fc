"""The command line: `hearts up`, `hearts api`, `hearts worker`, `hearts demo`.

Each command is a function here; its first line of help is its docstring.
Exit codes: 0 for a clean end, 1 for what cannot start or did not turn out well,
2 for wrong settings or arguments.
"""

import argparse
import inspect
import os
import sys
from collections.abc import Sequence
from importlib import metadata

from service import logs
from service.embedded import CannotStartError
from service.settings import Settings, SettingsError, load


def up(arguments: argparse.Namespace) -> None:
    """Start everything on this machine and keep it running until Ctrl-C."""
    from service import supervisor

    supervisor.up(_settings(), arguments.parent)


def api(arguments: argparse.Namespace) -> None:
    """Run the API alone, for a store and workers of your own, until SIGTERM."""
    from service import supervisor

    supervisor.api(_settings("HEARTS_EVENTS_URL", "HEARTS_SECRET_KEYS"), arguments.parent)


def worker(arguments: argparse.Namespace) -> None:
    """Run one more worker, which moves the bots, until SIGTERM."""
    from service.worker import run_worker

    run_worker(_settings(), arguments.parent)


def demo(arguments: argparse.Namespace) -> int:
    """Play one game over HTTP against three bots, print it, and check its log."""
    from service.demo import run

    return run(arguments.url)


_COMMANDS = (up, api, worker, demo)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in *arguments* and return the exit code."""
    chosen = _parser().parse_args(arguments)
    try:
        code: int | None = chosen.run(chosen)
    except SettingsError as exc:
        return _refuse("wrong settings", exc, code=2)
    except CannotStartError as exc:
        return _refuse("cannot start", exc, code=1)
    return code or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("hearts", description="The card game Hearts over HTTP.")
    parser.add_argument("--version", action="version", version=metadata.version("hearts-api"))
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in _COMMANDS:
        text = inspect.getdoc(command)
        added = commands.add_parser(command.__name__, help=text, description=text)
        added.set_defaults(run=command)
        if command is demo:
            text = "play there, such as http://127.0.0.1:8000, and not at a service of its own"
            added.add_argument("--url", default=os.environ.get("HEARTS_URL"), help=text)
        else:
            text = "the id of the process that started this one, which stops when that has ended"
            added.add_argument("--parent", type=int, metavar="PID", help=text)
    return parser


def _settings(*needs: str) -> Settings:
    settings = load(needs=needs)
    logs.configure(settings.log_level)
    return settings


def _refuse(what: str, exc: Exception, *, code: int) -> int:
    print(f"hearts: {what}\n  " + str(exc).replace("\n", "\n  "), file=sys.stderr)
    return code
