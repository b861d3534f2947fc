"""The endpoints of an application: made, changed, tried, and what was sent to them."""

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, cast

from flask import Blueprint, Response, current_app
from msgspec.structs import replace

from service import parameters
from service.auth import key_of_request
from service.bodies import read_body
from service.missing import NotThere
from service.parameters import CursorError, Wrong, idempotency_key
from service.replies import LIVE, NO_STORE, reply
from service.requests import HOOKS, deps
from service.schemas import requests
from service.schemas import webhooks as s
from service.webhooks.deliveries import Deliveries, Delivery
from service.webhooks.endpoints import (
    ON_REQUEST,
    Endpoint,
    EndpointConflict,
    Endpoints,
    TooManyEndpointsError,
)
from service.webhooks.messages import TEST, body_of
from service.webhooks.targets import TargetRefusedError, target_of

if TYPE_CHECKING:
    from service.wiring import Hooks

bp = Blueprint("webhooks", __name__, url_prefix="/v1/webhook-endpoints")

DELIVERIES_PER_PAGE: Final = 100
_USUAL_PAGE: Final = 20
_CURSOR: Final = re.compile("[0-9]{1,15}", re.ASCII)
_ID_BYTES: Final = 16


@bp.post("")
def create_endpoint() -> Response:
    """Make an endpoint, or find that the same request has made it before."""
    app = key_of_request(deps())
    body = read_body(s.CREATE_ENDPOINT.load)
    _check_target(body["url"])
    made_with = _print_of(body)
    new = _new_endpoint(app, body, made_with)
    try:
        endpoint = _endpoints().add(new)
    except TooManyEndpointsError as exc:
        raise EndpointConflict("too_many_webhook_endpoints", str(exc)) from exc
    if endpoint.made_with != made_with:
        raise EndpointConflict("idempotency_key_reused", "The key was used for another endpoint.")
    return _shown(
        endpoint,
        HTTPStatus.CREATED,
        {"Location": _path(endpoint.id)},
        is_replayed=endpoint is not new,
        with_secret=True,
    )


def _new_endpoint(app: str, body: Mapping[str, Any], made_with: str) -> Endpoint:
    keyring, key = deps().keyring, idempotency_key()
    endpoint_id = f"whe_{secrets.token_hex(_ID_BYTES)}"
    if key is not None:
        ids = [keyring.webhook_id(app, key, key_id) for key_id in keyring.key_ids]
        known = (one for one in ids if _endpoints().find(one) is not None)
        endpoint_id = next(known, ids[0])
    return Endpoint(
        id=endpoint_id,
        app=app,
        url=body["url"],
        events=tuple(body["events"]),
        prefix=body.get("filter", {}).get("player_ref_prefix"),
        signing=body["signing"],
        key_id=keyring.current,
        created_at=deps().clock(),
        made_with=made_with,
    )


@bp.get("")
def list_endpoints() -> Response:
    """List the application's endpoints."""
    app = key_of_request(deps())
    parameters.read()
    items = [s.endpoint_data(one, deps().keyring) for one in _endpoints().of(app)]
    return reply({"items": items}, cache=LIVE)


@bp.get("/<endpoint_id>")
def get_endpoint(endpoint_id: str) -> Response:
    """Show an endpoint."""
    app = key_of_request(deps())
    parameters.read()
    endpoint = _found(app, endpoint_id)
    return reply(s.endpoint_data(endpoint, deps().keyring), cache=LIVE)


@bp.patch("/<endpoint_id>")
def update_endpoint(endpoint_id: str) -> Response:
    """Change where an endpoint is, what it is told of, or whether it is told at all."""
    app = key_of_request(deps())
    body = read_body(s.UPDATE_ENDPOINT.load)
    if "url" in body:
        _check_target(body["url"])
    _found(app, endpoint_id)
    endpoint = _changed(endpoint_id, lambda one: _updated(one, body))
    if body.get("disabled") is False:
        _endpoints().succeeds(endpoint_id)
    return _shown(endpoint)


def _updated(endpoint: Endpoint, body: Mapping[str, Any]) -> Endpoint:
    disabled = endpoint.disabled
    if "disabled" in body:
        disabled = (disabled or ON_REQUEST) if body["disabled"] else None
    prefix = endpoint.prefix
    if "filter" in body:
        prefix = body["filter"].get("player_ref_prefix")
    return replace(
        endpoint,
        url=body.get("url", endpoint.url),
        events=tuple(body.get("events", endpoint.events)),
        prefix=prefix,
        disabled=disabled,
    )


@bp.delete("/<endpoint_id>")
def delete_endpoint(endpoint_id: str) -> Response:
    """Forget an endpoint and all that was, or is to be, sent to it."""
    app = key_of_request(deps())
    parameters.read()
    _endpoints().remove(_found(app, endpoint_id))
    return Response(status=HTTPStatus.NO_CONTENT, headers={"Cache-Control": NO_STORE})


@bp.post("/<endpoint_id>/test")
def test_endpoint(endpoint_id: str) -> Response:
    """Have a message sent that says nothing."""
    app = key_of_request(deps())
    read_body(requests.NOTHING.load, optional=True)
    endpoint = _enabled(_found(app, endpoint_id))
    name = f"msg_test-{_once() or secrets.token_hex(_ID_BYTES)}"
    known, now = _deliveries().find(endpoint_id, name), deps().clock()
    if known is not None:
        return _accepted(known, is_replayed=True)
    body = body_of(TEST, now, {"endpoint_id": endpoint.id})
    new = Delivery(id=name, type=TEST, body=body, created_at=now, next_at=now)
    is_new = _deliveries().record({endpoint_id: [new]})
    return _accepted(_deliveries().find(endpoint_id, name) or new, is_replayed=not is_new)


@bp.post("/<endpoint_id>/rotate-secret")
def rotate_secret(endpoint_id: str) -> Response:
    """Sign with a new key, and for a day with the former ones as well."""
    app = key_of_request(deps())
    read_body(requests.NOTHING.load, optional=True)
    _found(app, endpoint_id)
    key, current = _once(), deps().keyring.current
    is_replayed = False

    def rotate(one: Endpoint) -> Endpoint:
        nonlocal is_replayed
        is_replayed = key is not None and one.rotated_with == key
        if is_replayed:
            return one
        return one.rotated(deps().clock(), current, key)

    endpoint = _changed(endpoint_id, rotate)
    return _shown(endpoint, is_replayed=is_replayed, with_secret=True)


@bp.get("/<endpoint_id>/deliveries")
def list_deliveries(endpoint_id: str) -> Response:
    """List what was sent to an endpoint, or is to be, the newest first."""
    app = key_of_request(deps())
    query = parameters.read(
        limit=parameters.integer(1, DELIVERIES_PER_PAGE, _USUAL_PAGE), cursor=lambda text: text
    )
    before, limit = _place(query["cursor"]), query["limit"]
    _found(app, endpoint_id)
    page, following = _deliveries().page(endpoint_id, before, limit)
    cursor = None if following is None else str(following)
    link = f'<{_path(endpoint_id)}/deliveries?limit={limit}&cursor={cursor}>; rel="next"'
    items = [s.delivery_data(one) for one in page]
    headers = {} if cursor is None else {"Link": link}
    return reply({"items": items, "next_cursor": cursor}, cache=LIVE, headers=headers)


def _place(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not _CURSOR.fullmatch(cursor):
        raise CursorError([Wrong("cursor", "invalid", "This is no cursor of this list.")])
    return int(cursor)


@bp.post("/<endpoint_id>/deliveries/<delivery_id>/retry")
def retry_delivery(endpoint_id: str, delivery_id: str) -> Response:
    """Send a message again, whatever has become of it."""
    app = key_of_request(deps())
    read_body(requests.NOTHING.load, optional=True)
    endpoint = _found(app, endpoint_id)
    if _deliveries().find(endpoint_id, delivery_id) is None:
        raise NotThere("delivery_not_found", "No such message was meant for the endpoint.")
    _enabled(endpoint)
    retried = _deliveries().retry(endpoint_id, delivery_id, deps().clock(), _once())
    if retried is None:
        raise NotThere("delivery_not_found", "The message is gone.")
    return _accepted(retried[0], is_replayed=retried[1])


def _endpoints() -> Endpoints:
    return cast("Hooks", current_app.extensions[HOOKS]).endpoints


def _deliveries() -> Deliveries:
    return cast("Hooks", current_app.extensions[HOOKS]).deliveries


def _found(app: str, endpoint_id: str) -> Endpoint:
    endpoint = _endpoints().find(endpoint_id)
    if endpoint is None or endpoint.app != app:
        raise NotThere("webhook_endpoint_not_found", "The application has no such endpoint.")
    return endpoint


def _changed(endpoint_id: str, how: Callable[[Endpoint], Endpoint]) -> Endpoint:
    endpoint = _endpoints().change(endpoint_id, how)
    if endpoint is None:
        raise NotThere("webhook_endpoint_not_found", "The application has no such endpoint.")
    return endpoint


def _enabled(endpoint: Endpoint) -> Endpoint:
    if endpoint.disabled is not None:
        text = "Nothing is sent to an endpoint that is disabled."
        raise EndpointConflict("webhook_endpoint_disabled", text)
    return endpoint


def _check_target(url: str) -> None:
    hooks: Hooks = current_app.extensions[HOOKS]
    try:
        target_of(url, anywhere=hooks.anywhere)
    except TargetRefusedError as exc:
        raise EndpointConflict("webhook_target_refused", str(exc)) from exc


def _print_of(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=_ID_BYTES).hexdigest()


def _once() -> str | None:
    """Return what stands for the request's idempotency key; keys themselves are kept nowhere."""
    key = idempotency_key()
    if key is None:
        return None
    return hashlib.blake2b(key.encode(), digest_size=_ID_BYTES).hexdigest()


def _path(endpoint_id: str) -> str:
    return f"/v1/webhook-endpoints/{endpoint_id}"


def _shown(
    endpoint: Endpoint,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    *,
    is_replayed: bool = False,
    with_secret: bool = False,
) -> Response:
    data = s.endpoint_data(endpoint, deps().keyring, with_secret=with_secret)
    named = {**(headers or {}), **_replayed(is_replayed=is_replayed)}
    return reply(data, status, cache=NO_STORE, headers=named)


def _accepted(delivery: Delivery, *, is_replayed: bool = False) -> Response:
    headers = _replayed(is_replayed=is_replayed)
    data = s.delivery_data(delivery)
    return reply(data, HTTPStatus.ACCEPTED, cache=NO_STORE, headers=headers)


def _replayed(*, is_replayed: bool) -> dict[str, str]:
    return {"Idempotency-Replayed": "true"} if is_replayed else {}
