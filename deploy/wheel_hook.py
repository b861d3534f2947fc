"""Puts the HTTP contract into the wheel, where an installed service finds it."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarryContract(BuildHookInterface):  # type: ignore[type-arg]  # the config is hatchling's own
    """Add the repository's openapi.yaml to a wheel; an editable install reads it in place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the file to carry and its place inside the package."""
        if version == "standard":
            build_data["force_include"]["openapi.yaml"] = "service/openapi.yaml"
