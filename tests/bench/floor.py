"""The floor: a bare Flask app on the same HTTP server and the same Redis.

One view runs one append script, one reads one entry. What our own app does beyond that is
what it costs. Started as `python -m tests.bench.floor DESCRIPTOR THREADS REDIS_URL`.
"""

import sys
from functools import partial
from importlib import resources

from flask import Flask, Response, request
from granian.constants import Interfaces
from redis import Redis

from service import tether
from service.server import Server
from service.store.base import head_of

CARD_BYTES = 45  # as long as a stored card


def bare_app(url):
    app = Flask(__name__, static_folder=None)
    redis = Redis.from_url(url)
    text = resources.files("service.store").joinpath("append.lua").read_text()
    script, ends = redis.register_script(text), {}

    @app.post("/append/<stream>")
    def append(stream):
        request.get_data()
        version, head = ends.get(stream, (0, ""))
        shard = f"hearts:{{{stream[:2]}}}:"
        keys = [shard + name for name in (f"game:{stream}", "due", "games", "rows", "hooks")]
        entry = version.to_bytes(CARD_BYTES, "big")
        if not script(keys, [version, head, "", stream, "hearts:bell", "", "", "", entry]):
            raise AssertionError("the floor appends in order")
        ends[stream] = version + 1, head_of(entry).hex()
        return Response(b'{"version":%d}' % (version + 1), 201, mimetype="application/json")

    @app.get("/read/<stream>")
    def read(stream):
        ((number, _),) = redis.xrevrange(f"hearts:{{{stream[:2]}}}:game:{stream}", count=1)
        return Response(b'{"version":"%s"}' % number, mimetype="application/json")

    return app


def load(url, main, _):
    tether.die_with(main)
    return bare_app(url)


if __name__ == "__main__":
    server = Server(int(sys.argv[1]), partial(load, sys.argv[3]), Interfaces.WSGI, int(sys.argv[2]))
    server.serve(target_loader=server.load, wrap_loader=False)
