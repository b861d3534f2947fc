"""Bodies that take no member they do not name, and those of several shapes."""

from collections.abc import Mapping
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields

from service.schemas.fields import REQUIRED, UNKNOWN


class Strict(Schema):
    """A body, or a part of one, that takes no member it does not name."""

    class Meta:
        """Unknown members are errors."""

        unknown = RAISE

    error_messages = {  # noqa: RUF012 - as the library declares it
        "unknown": UNKNOWN,
        "type": "This is not an object.",
    }

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Give every field the words by which missing values are told apart."""
        del field_name
        field_obj.error_messages = {
            **field_obj.error_messages,
            "required": REQUIRED,
            "null": "This is null.",
        }


class Variant(fields.Field[Any]):
    """An object whose member *tag* says which schema it must fit."""

    def __init__(self, tag: str, schemas: Mapping[str, Strict], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tag = tag
        self.schemas = schemas

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> object:
        del attr, data, kwargs
        return load_variant(value, self.tag, self.schemas)


def load_variant(value: object, tag: str, schemas: Mapping[str, Strict]) -> dict[str, Any]:
    """Return *value* as the schema that its member *tag* names reads it.

    Raises:
        ValidationError: It is no object, names no schema, or does not fit it.
    """
    if not isinstance(value, dict):
        raise ValidationError("This is not an object.")
    if tag not in value:
        raise ValidationError({tag: [REQUIRED]})
    named = value[tag]
    if not isinstance(named, str) or named not in schemas:
        raise ValidationError({tag: [f"This is none of {', '.join(schemas)}."]})
    loaded: dict[str, Any] = schemas[named].load(value)
    return loaded
