"""One game of Hearts against bots over HTTP: put your own player into it."""

import http.client
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.request

BASE = os.environ.get("HEARTS_URL", "http://127.0.0.1:8000") + "/v1"
RULES = json.loads(sys.argv[1]) if sys.argv[1:] else {}  # such as {"preset": "omnibus", "seats": 5}


def ask(method, path, token=None, body=None):
    """Send a request until it is answered. Its key makes repeating it harmless."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if method != "GET":
        headers["Idempotency-Key"] = secrets.token_urlsafe(24)
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, headers, method=method)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code not in (429, 503):
                return refusal.code, json.load(refusal)
            time.sleep(int(refusal.headers["Retry-After"]))
        except (OSError, http.client.HTTPException):
            time.sleep(1)


status, made = ask("POST", "/games", body={"rules": RULES, "claim": {"seat": 0, "name": "Ana"}})
if status != 201:
    sys.exit(made["detail"])
game, me = f"/games/{made['id']}", made["seat_token"]
seed = secrets.token_hex(32)  # our share in the shuffle; the deals were fixed before we send it
ask("PATCH", f"{game}/seats/0", me, {"client_seed": seed})
ask("POST", f"{game}/start", made["host_token"])

while True:
    _, state = ask("GET", game, me)
    if state["status"] in ("finished", "aborted"):
        break
    if not state["you"]["to_act"]:
        ask("GET", f"{game}/events?after={state['version']}&wait=25", me)
        continue
    move = state["you"]["legal_moves"][0]  # put your own player here
    status, answer = ask("POST", f"{game}/moves", me, {**move, "turn_id": state["turn"]["id"]})
    if status == 409:  # the game has moved on, or the rules forbid it: look again
        print(answer["code"], answer["detail"])

print(state["result"])
