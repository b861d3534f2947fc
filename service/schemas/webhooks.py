"""Endpoints of webhooks and their deliveries: what is asked for, and what answers look like."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields

from service.keyring import Keyring, MissingKeyError
from service.names import PLAYER_REF
from service.schemas.fields import Boolean, Items, Text, Word
from service.schemas.responses import Answer, timestamp
from service.schemas.strict import Strict
from service.webhooks.deliveries import Delivery
from service.webhooks.endpoints import Endpoint
from service.webhooks.messages import TYPES
from service.webhooks.signing import ED25519, SCHEMES, shown_key
from service.webhooks.targets import URL, URL_CHARACTERS


class Url(Text):
    """An address of http or https without a user or a fragment."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(URL, "a plain address of http or https", **kwargs)

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> str:
        url = super()._deserialize(value, attr, data, **kwargs)
        if len(url) > URL_CHARACTERS:
            raise ValidationError(f"This is longer than {URL_CHARACTERS} characters.")
        return url


def _events(**kwargs: Any) -> Items:
    return Items(Word(TYPES), least=1, most=len(TYPES), unique=True, **kwargs)


class Filter(Strict):
    """Of whom an endpoint wants to hear."""

    player_ref_prefix = Text(PLAYER_REF, "1 to 64 visible characters", allow_none=True)


class CreateEndpoint(Strict):
    """A new endpoint."""

    url = Url(required=True)
    events = _events(required=True)
    filter = fields.Nested(Filter)
    signing = Word(SCHEMES, load_default=ED25519)


class UpdateEndpoint(Strict):
    """What is to be changed of an endpoint."""

    url = Url()
    events = _events()
    filter = fields.Nested(Filter)
    disabled = Boolean()


CREATE_ENDPOINT: Final = CreateEndpoint()
UPDATE_ENDPOINT: Final = UpdateEndpoint()


def endpoint_data(endpoint: Endpoint, keyring: Keyring, *, with_secret: bool = False) -> Answer:
    """Return *endpoint* as its application sees it; a secret is shown only where it is new.

    The key is null where the app's secret that it was derived from is gone.
    """
    try:
        secret = keyring.webhook_secret(
            endpoint.id, endpoint.created_at, endpoint.generation, endpoint.key_id
        )
        shown = shown_key(endpoint.signing, secret)
    except MissingKeyError:
        shown = None
    is_public = endpoint.signing == ED25519
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "events": list(endpoint.events),
        "filter": {"player_ref_prefix": endpoint.prefix},
        "signing": endpoint.signing,
        "public_key": shown if is_public else None,
        "secret": shown if with_secret and not is_public else None,
        "generation": endpoint.generation,
        "rotated_at": timestamp(endpoint.rotated_at),
        "disabled": endpoint.disabled is not None,
        "disabled_reason": endpoint.disabled,
        "created_at": timestamp(endpoint.created_at),
    }


def delivery_data(delivery: Delivery) -> Answer:
    """Return what became of *delivery* so far."""
    return {
        "id": delivery.id,
        "type": delivery.type,
        "game_id": delivery.game_id,
        "status": delivery.status,
        "reason": delivery.reason,
        "created_at": timestamp(delivery.created_at),
        "next_attempt_at": timestamp(delivery.next_at),
        "attempts": [
            {"at": timestamp(one.at), "status": one.status, "error": one.error}
            for one in delivery.attempts
        ],
    }
