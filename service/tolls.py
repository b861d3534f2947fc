"""What a request costs its caller, settled between who counts and the views.

`service.metering` begins and ends it. In between, a view that makes something new pays for
that first, unless it finds that the same request has made it before: so a repeat costs
nothing, and is answered even to who has nothing left.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from flask import request

from service.counters import Charge, Counters
from service.quotas import CLAIM, JOIN, READ, Quota, RateLimited, Standing

TOLL: Final = "hearts.toll"
"""Where a request keeps its toll in the environment, if it is counted."""

_SPREAD_SECONDS: Final = 3


class Caller(NamedTuple):
    """Who is charged, by a *name*; *is_shared* if it may stand for several."""

    name: str
    is_shared: bool


class Toll:
    """The toll of one request, which counts under *policy*.

    *claimant* gives who is charged for a seat. *is_paid* once it was charged, *is_kept* if that
    stays so whatever is answered. *standing* is how its caller stands, None if nobody knows.
    """

    def __init__(
        self,
        counters: Counters,
        quotas: Mapping[str, Quota],
        policy: str,
        caller: Caller,
        claimant: Callable[[], Caller],
    ) -> None:
        self.policy = policy
        self.is_paid = False
        self.is_kept = False
        self.standing: Standing | None = None
        self._counters = counters
        self._quotas = quotas
        self._caller = caller
        self._claimant = claimant
        self._token: Standing | None = None
        self._has_token = False
        self._own: Standing | None = None
        self._guesses: Standing | None = None
        self._has_guess_back = False

    def look(self) -> None:
        """Find out how the caller stands, at no cost."""
        self.standing, *_ = self._count((self.policy, 0))

    def pay(self) -> None:
        """Charge the caller, once.

        Raises:
            RateLimited: It has nothing left; each time.
        """
        if not self.is_paid:
            self.is_paid = True
            self.standing, *_ = self._count((self.policy, 1))
        self._check()

    def pay_to_guess(self) -> None:
        """Charge the caller, once, who comes with a code, as if it was wrong.

        Of many codes at once no more are looked at than may be wrong.

        Raises:
            RateLimited: It has nothing left, or was wrong too often; each time.
        """
        if not self.is_paid:
            self.is_paid = True
            self.standing, self._guesses = self._count((self.policy, 1), (JOIN, 1))
            if any(one is not None and one.is_over for one in (self.standing, self._guesses)):
                self.give_back_guess()  # nobody looks at this code
        self._check()
        if self._guesses is not None and self._guesses.is_over:
            self.standing = self._guesses
            raise _refusal(self._guesses, self._caller)

    def give_back_guess(self) -> None:
        """Take the charge for a code back, once: it was right, or not looked at."""
        if self._guesses is not None and not self._has_guess_back:
            self._has_guess_back = True
            self._count((JOIN, -1))

    def pay_for_token(self) -> None:
        """Charge, once, whoever has a token replaced by another, as if for a seat.

        Raises:
            RateLimited: It has nothing left; each time.
        """
        if not self._has_token:
            self._has_token = True
            self._own = self.standing
            self._token, *_ = self._count((CLAIM, 1), caller=self._claimant())
        if self._token is not None and self._token.is_over:
            self.standing = self._token
            raise _refusal(self._token, self._claimant())

    def pay_to_read(self) -> None:
        """Charge the caller as for a read, whatever else the request costs.

        Raises:
            RateLimited: It has nothing left.
        """
        (reading,) = self._count((READ, 1))
        if reading is not None and reading.is_over:
            self.standing = reading
            raise _refusal(reading, self._caller)

    def give_back(self) -> None:
        """Take the charge back."""
        self.is_paid = False
        self.standing, *_ = self._count((self.policy, -1))

    def give_back_token(self) -> None:
        """Take the charge for a token back, if there was one."""
        if self._token is not None:
            self._count((CLAIM, -1), caller=self._claimant())
            self.standing = self._own

    def _count(
        self, *costs: tuple[str, int], caller: Caller | None = None
    ) -> list[Standing] | list[None]:
        name = (caller or self._caller).name
        charges = [Charge(policy, self._quotas[policy], name, cost) for policy, cost in costs]
        return self._counters.count(charges) or [None] * len(charges)

    def _check(self) -> None:
        if self.standing is not None and self.standing.is_over:
            raise _refusal(self.standing, self._caller)


def _refusal(standing: Standing, caller: Caller) -> RateLimited:
    # Those who share an address must not all come back in the same second.
    spread = secrets.randbelow(_SPREAD_SECONDS) if caller.is_shared else 0
    return RateLimited(standing, standing.seconds + spread)


def toll_of_request() -> Toll | None:
    """Return the toll of this request, None if nobody counts."""
    return request.environ.get(TOLL)


def pay() -> None:
    """Have the caller of this request pay for something new.

    Raises:
        RateLimited: It has nothing left.
    """
    if (toll := toll_of_request()) is not None:
        toll.pay()


def keep() -> None:
    """Have what was paid for this request stay paid: it has its price, whatever is answered."""
    if (toll := toll_of_request()) is not None:
        toll.is_kept = True


def give_back() -> None:
    """Have the caller of this request pay nothing: another one has done the same."""
    if (toll := toll_of_request()) is not None and toll.is_paid:
        toll.give_back()


def pay_to_read() -> None:
    """Have the caller of this request pay as for a read: even a repeat reads a whole log.

    Raises:
        RateLimited: It has nothing left.
    """
    if (toll := toll_of_request()) is not None:
        toll.pay_to_read()


def pay_for_token() -> None:
    """Have whoever sends this request pay for a token that replaces another.

    Raises:
        RateLimited: It has nothing left.
    """
    if (toll := toll_of_request()) is not None:
        toll.pay_for_token()


def pay_to_guess() -> None:
    """Have the caller of this request pay for something new that needs a code.

    Raises:
        RateLimited: It has nothing left, or was wrong too often.
    """
    if (toll := toll_of_request()) is not None:
        toll.pay_to_guess()


def give_back_guess() -> None:
    """Have the caller of this request pay nothing for its code, which was right."""
    if (toll := toll_of_request()) is not None:
        toll.give_back_guess()
