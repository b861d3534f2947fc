"""Real worker processes beside a real server, and tables for them to play at."""

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from itertools import count
from operator import lt
from pathlib import Path

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from engine import events as e
from engine.bots import Tempo
from service import embedded, steady, wiring
from service.deadlines import Waits
from service.notify import Notify
from service.settings import load
from service.store.keys import stream_key
from service.store.redis_store import RedisStore
from service.trouble import Trouble
from tests.house import House
from tests.processes import SECONDS, environment, eventually

KEY = "a key that workers and tests share"
HOSTILE = Path(__file__).with_name("hostile_worker.py")


class Server:
    """A private server that tests kill and start again."""

    def __init__(self, folder, binary=None):
        self._lock = embedded.lock_folder(folder)
        self._program = embedded.prepare(folder, "buffered", binary)
        self.url = self._program.url
        self.start()

    def start(self):
        self.process = self._program.start(self._lock)
        self._program.wait_until_ready(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self._program.stop(self.process)
        self._lock.close()


class Workshop:
    """Workers on the store at *events_url*, and a house for the requests of people."""

    def __init__(self, folder, events_url, queue_url=None):
        self._folder = folder
        self._environ = environment(
            folder,
            HEARTS_EVENTS_URL=events_url,
            HEARTS_QUEUE_URL=queue_url or events_url,
            HEARTS_SECRET_KEYS=KEY,
        )
        self.settings = load(self._environ)
        self.client = Redis.from_url(self.settings.queue_url)
        self.queues = {
            tempo: Queue(name, connection=self.client, serializer=JSONSerializer)
            for tempo, name in wiring.QUEUES.items()
        }
        self.queue = self.queues[Tempo.QUICK]
        self.trouble = Trouble(self.client)
        self.workers = []
        self._numbers = count(1)
        self.house = self.new_house()

    def new_house(self):
        """Return another process of the API."""
        store, notify = RedisStore(self.settings.events_url), Notify(self.queues)
        return House(
            store,
            keys=self.settings.secret_keys,
            hint=notify.hint,
            notify=notify,
            waits=Waits(bot_delay_ms=self.settings.bot_delay_ms),
            trouble=self.trouble,
            clock=steady.wall_clock,
        )

    def hire(self, number=1, *, how=None, **more):
        """Start workers; *how* says what is wrong with them, and *more* sets their environment."""
        command = ["-m", "service", "worker"] if how is None else [str(HOSTILE), how]
        for _ in range(number):
            with self._folder.joinpath(f"worker-{next(self._numbers)}.log").open("w") as log:
                worker = subprocess.Popen(
                    [sys.executable, *command], env=self._environ | more, stderr=log
                )
            self.workers.append(worker)
        return self.workers[-number:]

    def said(self):
        """Return all that workers have written."""
        files = sorted(self._folder.glob("worker-*.log"))
        return "".join(file.read_text(errors="replace") for file in files)

    def wait_for_workers(self):
        """Wait until a worker takes jobs."""
        eventually(lambda: self.client.exists("hearts-jobs:seen"))

    def dismiss(self):
        """Ask all workers to end, wait, and return their exit codes."""
        for worker in self.workers:
            worker.terminate()
        return [worker.wait(SECONDS) for worker in self.workers]

    def kill(self):
        """Kill all workers."""
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.workers.clear()

    def tables(self, count, *seats, **more):
        """Start games."""
        return [self.house.started(*seats, **more) for _ in range(count)]

    def lengths(self, game_ids):
        """Return how many events each game has."""
        with self.house.deps.store.client() as client, client.pipeline(transaction=False) as pipe:
            for game_id in game_ids:
                pipe.xlen(stream_key(game_id))
            return pipe.execute()

    def all_move(self, game_ids):
        """Wait until each game has moved on."""
        before = self.lengths(game_ids)
        eventually(lambda: all(map(lt, before, self.lengths(game_ids))))

    def finish(self, game_ids):
        """Wait until all games are over."""
        left = list(game_ids)

        def all_over():
            while left and self.house.read(left[-1]).is_over:
                left.pop()
            return not left

        eventually(all_over)

    def close(self):
        self.kill()
        self.client.close()
        self.house.deps.store.close()


@contextmanager
def workshop(events_url, queue_url=None):
    """Open a workshop; at the end its workers are gone."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(Path(folder), events_url, queue_url)
        try:
            yield shop
        finally:
            shop.close()


def turns_of_bots(house, game_id):
    """Return seat and turn of each decision that a bot made."""
    return [
        (one.actor.seat, one.event.turn_id)
        for one in house.log(game_id)
        if one.actor.kind == "bot" and isinstance(one.event, e.CardPlayed | e.CardsPassed)
    ]


def autos(house, game_id):
    """Return how the bots' moves were marked."""
    return [getattr(one.event, "auto", None) for one in house.log(game_id) if one.cause]
