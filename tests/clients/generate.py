"""Clients, made from the contract by generators that others keep.

`python -m tests.clients.generate FOLDER TOOLS` puts `hearts_client`, a Python package, and
`schema.d.ts`, the types of TypeScript, into FOLDER; TOOLS is where npm has put its packages.
"""

import json
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PACKAGE = "hearts_client"

# What openapi-python-client cannot send or read: bodies that are files, and YAML.
NOT_IN_PYTHON = {"verifyFile", "importFile", "getOpenapi"}

_CONFIG = {
    "package_name_override": PACKAGE,
    "content_type_overrides": {
        "application/x-ndjson": "application/octet-stream",
        "application/schema+json": "application/json",
        "text/x-hgn": "application/octet-stream",
    },
    "post_hooks": [],
}


def main(folder, tools):
    """Generate both; whatever a generator complains of is an end with 1."""
    folder.mkdir(parents=True, exist_ok=True)
    document = yaml.safe_load((ROOT / "openapi.yaml").read_text("utf-8"))
    _generate_python(_for_python(document), folder)
    _run(
        tools / "node_modules" / ".bin" / "openapi-typescript",
        *(ROOT / "openapi.yaml", "--output", folder / "schema.d.ts"),
    )


def _for_python(document):
    """Return *document* without the operations that the generator does not know how to do."""
    for path in document["paths"].values():
        for method in [name for name, one in path.items() if name != "parameters"]:
            if path[method].get("operationId") in NOT_IN_PYTHON:
                del path[method]
    # Links to them lead nowhere now; a client of functions has no use for links.
    return _without_links(document)


def _without_links(node):
    match node:
        case dict():
            return {
                key: _without_links(inner)
                for key, inner in node.items()
                if not (key == "links" and "headers" in node)
            }
        case list():
            return list(map(_without_links, node))
        case _:
            return node


def _generate_python(document, folder):
    (folder / "openapi.json").write_text(json.dumps(document), "utf-8")
    (folder / "config.json").write_text(json.dumps(_CONFIG), "utf-8")
    _run(
        *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"),
        *("--path", folder / "openapi.json", "--config", folder / "config.json"),
        *("--output-path", folder / PACKAGE, "--overwrite", "--fail-on-warning"),
    )


def _run(*command):
    subprocess.run(list(map(str, command)), check=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
