"""What linters say about the image, the composition and the proxy's configuration."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.addresses import ROOT
from tests.deploy.proxying import configuration, make_certificate, nginx

YAML_RULES = (
    "{extends: default, rules: {line-length: {max: 100}, document-start: disable,"
    " comments: {min-spaces-from-content: 2}, braces: {max-spaces-inside: 0}}}"
)

LINTERS = {
    "hadolint": ["Dockerfile"],
    "yamllint": ["--strict", "--config-data", YAML_RULES, "deploy/compose.yaml"],
    # It carries the schema of the Compose specification.
    "check-jsonschema": ["--builtin-schema", "vendor.compose-spec", "deploy/compose.yaml"],
}


@pytest.mark.parametrize("linter", LINTERS)
def test_the_linter_has_nothing_to_say(linter):
    program = shutil.which(linter, path=Path(sys.executable).parent) or shutil.which(linter)
    if program is None:
        pytest.skip(f"there is no {linter}; `make lint-deploy` installs it")

    found = run([program, *LINTERS[linter]])

    assert found.returncode == 0, found.stdout


@pytest.mark.skipif(not nginx(), reason="there is no nginx; `make test-proxy` fetches one")
@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl for a certificate")
def test_nginx_accepts_the_configuration_of_the_proxy(tmp_path):
    make_certificate(tmp_path)
    file = tmp_path / "proxy.conf"
    file.write_text(configuration(tmp_path, 8443, "127.0.0.1:1", "127.0.0.1:2"))

    found = run([nginx(), "-t", "-p", str(tmp_path), "-c", str(file)])

    assert found.returncode == 0, found.stdout
    assert "[emerg]" not in found.stdout


def run(command):
    return subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
