"""What the tests of the contract share."""

import pytest

# The helpers assert, and a failure is worth nothing without its values.
pytest.register_assert_rewrite(
    "tests.contract.driver", "tests.contract.history", "tests.contract.readback"
)
