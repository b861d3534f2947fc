from pathlib import Path

from service import contract


def test_a_checkout_serves_the_contract_at_its_root():
    assert contract.openapi_bytes() == (Path(__file__).parents[2] / "openapi.yaml").read_bytes()
