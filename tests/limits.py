"""An app that counts who asks how often, and what it has counted."""

from service.counters import PREFIX, Counters
from service.metering import Meter
from service.wiring import connect
from tests.tables import Api, make_app, make_settings

PATIENT_SECONDS = 60
"""What counting may take here, so that a busy machine counts all the same."""

LIMITED = (429, "rate_limited")


def limited(url, header="", **quotas):
    """Return the way into an app that counts; *quotas* are those of some policies, by name."""
    more = {f"HEARTS_RATE_{name.upper()}": quota for name, quota in quotas.items()}
    app = make_app(url, HEARTS_RATE_LIMITS="on", **more)
    checked = make_settings(url, **more)
    counters = Counters(connect(url, PATIENT_SECONDS), checked.secret_keys[0])
    app.meter = Meter(counters, checked.quotas, header)
    return Api(app)


def keys_of(counts, policy="*"):
    """Return the keys in which *counts*, a client of the store, counts."""
    return list(counts.scan_iter(f"{PREFIX}{policy}:*"))


def used(counts, policy):
    """Return what the only caller has used."""
    (key,) = keys_of(counts, policy) or [None]
    return int(counts.get(key)) if key else 0


def let_the_window_end(counts):
    """Let all windows end now."""
    for key in keys_of(counts):
        counts.delete(key)


def said(answer):
    """Return the policy that *answer* names, and what is left of it."""
    policy, left, ends = answer.headers["RateLimit"].split(";")
    named, _, window = answer.headers["RateLimit-Policy"].split(";")
    assert named == policy
    assert 1 <= int(ends.removeprefix("t=")) <= int(window.removeprefix("w="))
    return policy.strip('"'), int(left.removeprefix("r="))


def since(address):
    """Return what makes a request come from *address*."""
    return {"environ_base": {"REMOTE_ADDR": address}}
