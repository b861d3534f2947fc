from pathlib import Path

import pytest

from engine import playouts
from engine.playouts import kernel
from service.cli import main
from service.kernel import StaleKernelError, fingerprint, kernel_kind

FOLDER = Path(playouts.__path__[0])


def test_a_kernel_that_was_built_from_nothing_is_interpreted(monkeypatch):
    monkeypatch.setattr(kernel, "BUILT_FROM", "")

    assert kernel_kind() == "interpreted"


def test_a_kernel_that_was_built_from_its_source_is_compiled(monkeypatch):
    monkeypatch.setattr(kernel, "BUILT_FROM", fingerprint(FOLDER))

    assert kernel_kind() == "compiled"


def test_a_kernel_that_was_built_from_another_source_is_stale(monkeypatch):
    monkeypatch.setattr(kernel, "BUILT_FROM", "0" * 64)

    with pytest.raises(StaleKernelError, match="`make kernel` renews it"):
        kernel_kind()


def test_a_worker_does_not_start_with_a_stale_kernel(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("HEARTS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(kernel, "BUILT_FROM", "0" * 64)

    assert main(["worker"]) == 1

    assert "cannot start\n  the compiled kernel of playouts is stale" in capsys.readouterr().err
