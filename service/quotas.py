"""How often somebody may ask for what: a quota for each policy, and how one stands with it.

Source: docs/limits.md, "Quotas".
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

_TEXT: Final = re.compile("([0-9]{1,9})/([0-9]{1,6})", re.ASCII)


class Quota(NamedTuple):
    """At most *amount* in a window of *seconds*, which begins with the first that counts."""

    amount: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.amount}/{self.seconds}"


READ: Final = "read"
MOVE: Final = "move"
CREATE: Final = "create"
CLAIM: Final = "claim"
JOIN: Final = "join"
HINT: Final = "hint"
IMPORT: Final = "import"
VERIFICATION: Final = "verification"
ANALYSIS: Final = "analysis"

QUOTAS: Final[Mapping[str, Quota]] = MappingProxyType(
    {
        READ: Quota(600, 60),
        MOVE: Quota(30, 60),
        CREATE: Quota(30, 3_600),
        CLAIM: Quota(60, 3_600),
        JOIN: Quota(5, 60),
        HINT: Quota(30, 60),
        IMPORT: Quota(100, 3_600),
        VERIFICATION: Quota(100, 3_600),
        ANALYSIS: Quota(20, 3_600),
    }
)
"""The quota of each policy, where no setting names another one."""


class Standing(NamedTuple):
    """How a caller stands with the *quota* of a *policy*.

    *used* counts what was refused for it, too. The window ends in *seconds*, one at least.
    """

    policy: str
    quota: Quota
    used: int
    seconds: int

    @property
    def left(self) -> int:
        """How much may still be asked for in this window."""
        return max(0, self.quota.amount - self.used)

    @property
    def is_over(self) -> bool:
        """Whether more was asked for than may be."""
        return self.used > self.quota.amount


class RateLimited(Exception):  # noqa: N818 - a fact about the caller
    """The caller has no more of a quota; it may come back after *retry_after* seconds."""

    code = "rate_limited"

    def __init__(self, standing: Standing, retry_after: int) -> None:
        quota = standing.quota
        super().__init__(f"The quota is {quota.amount} in {quota.seconds} seconds.")
        self.standing = standing
        self.retry_after = retry_after


def quota_in(text: str) -> Quota:
    """Return the quota that *text* names, such as ``600/60``.

    Raises:
        ValueError: It names none, or one that is always spent.
    """
    found = _TEXT.fullmatch(text)
    if found is None or not int(found[1]) or not int(found[2]):
        raise ValueError(text)
    return Quota(int(found[1]), int(found[2]))
