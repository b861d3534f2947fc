"""How many ways there are to lay hidden cards where they may lie, exactly.

Cards of one kind are exchangeable, and so are places where the same kinds may lie: those are
taken together as one *stop*. The stops are filled one after the other, from one pool of cards
after the other, and a state is how many cards each pool has left. Pools that may lie at the
same stops from there on become one, so there are few states at the beginning and at the end.
The ways onward from a state are counted once.

Here every card is a card of its own, twins too; places in a hand are all the same.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb, factorial, prod
from typing import Final, NamedTuple, TypeAlias

from engine.cards import MOST_PACKS, PACK_SIZE
from engine.knowledge.evidence import Place
from engine.knowledge.kinds import Kind
from engine.playouts.laying import entered

State: TypeAlias = int
"""What is left: seven bits for the room of the stop, then seven for the cards of each pool."""

BITS: Final = 7
MASK: Final = (1 << BITS) - 1

_CHOICES: Final = tuple(
    tuple(comb(cards, taken) for taken in range(cards + 1))
    for cards in range(MOST_PACKS * PACK_SIZE + 1)
)
"""Cards, cards taken → in how many ways."""


class Step(NamedTuple):
    """A pool from which a stop takes cards.

    *shift* is where the pool stands in a state, *delta* what a state loses with each card
    taken. *beside* are the shifts of the pools that the stop takes from afterwards,
    *elsewhere* is the room of later stops for cards of this pool.
    """

    pool: int
    shift: int
    delta: int
    beside: tuple[int, ...]
    elsewhere: int


class Stop(NamedTuple):
    """Places that are filled together, with the room of each; *level* counts earlier steps.

    *pools* are the kinds in each pool, *joins* the pools that each pool of the next stop is
    made of. The last of *steps* takes what room is left.
    """

    places: tuple[tuple[Place, int], ...]
    room: int
    level: int
    pools: tuple[tuple[Kind, ...], ...]
    steps: tuple[Step, ...]
    joins: tuple[tuple[int, ...], ...]


class Ways:
    """All ways to lay the cards of *kinds*, so many of each, into the *rooms* they fill."""

    def __init__(self, kinds: Mapping[Kind, int], rooms: Mapping[Place, int]) -> None:
        self._kinds = kinds
        self.stops = tuple(_planned(_in_order(_together(kinds, rooms), kinds), kinds))
        self._levels = [(stop, step) for stop in self.stops for step in stop.steps]
        self._found: list[dict[State, int]] = [{} for _ in self._levels]
        self._splits = prod(
            factorial(stop.room) // prod(factorial(room) for _, room in stop.places)
            for stop in self.stops
        )
        self.total = self._splits * self._all()

    def _all(self) -> int:
        if not all(stop.steps for stop in self.stops):
            return 0
        return self._onward(0, self._start) if self.stops else 1

    @property
    def _start(self) -> State:
        stop = self.stops[0]
        left = [sum(map(self._kinds.__getitem__, pool)) for pool in stop.pools]
        return entered(left, stop.room, BITS)

    @property
    def size(self) -> int:
        """How many states were counted."""
        return sum(map(len, self._found))

    def options(self, level: int, state: State) -> tuple[int, list[int]]:
        """Return the fewest cards to take at the step *level*, and the ways for each number."""
        stop, step = self._levels[level]
        least, most = _bounds(step, state)
        cards = _CHOICES[state >> step.shift & MASK]
        if step is stop.steps[-1]:
            onward = [self._left(level, state)] if least == most else []
        else:
            onward = [
                self._onward(level + 1, state - taken * step.delta)
                for taken in range(least, most + 1)
            ]
        return least, [cards[least + more] * ways for more, ways in enumerate(onward)]

    def lying(self, kind: Kind) -> Mapping[Place, int]:
        """Return in how many of all ways one certain card of *kind* lies at each place."""
        found: dict[Place, int] = {}
        reached = {self._start: 1}
        for stop in self.stops:
            own = next((at for at, kinds in enumerate(stop.pools) if kind in kinds), None)
            here = 0
            for level, step in enumerate(stop.steps, stop.level):
                ways, reached = self._passed(level, reached, is_own=step.pool == own)
                here += ways
            for place, room in stop.places:
                found[place] = here * self._splits * room // stop.room
        return found

    def _passed(
        self, level: int, reached: Mapping[State, int], *, is_own: bool
    ) -> tuple[int, dict[State, int]]:
        """Return in how many ways the step *level* takes a certain card, and what lies beyond.

        *reached* are the ways to each state in which that card is still there; beyond, too.
        With *is_own* it is one of the pool that is taken from.
        """
        _, step = self._levels[level]
        taking, beyond = 0, Counter[State]()
        for state, ways in reached.items():
            least, options = self.options(level, state)
            cards = state >> step.shift & MASK
            for taken, onward in enumerate(options, least):
                staying = ways * _CHOICES[cards][taken]
                if is_own:
                    # Of the cards taken each is that one as often as any other.
                    taking += ways * onward * taken // cards
                    staying = staying * (cards - taken) // cards
                if onward and staying:
                    beyond[self._after(level, state, taken)] += staying
        return taking, beyond

    def _onward(self, level: int, state: State) -> int:
        found = self._found[level]
        ways = found.get(state)
        if ways is None:
            ways = found[state] = sum(self.options(level, state)[1])
        return ways

    def _left(self, level: int, state: State) -> int:
        """Return the ways onward when the step *level*, the last of its stop, fills it."""
        if level + 1 == len(self._levels):
            return 1
        return self._onward(level + 1, self._after(level, state, state & MASK))

    def _after(self, level: int, state: State, taken: int) -> State:
        """Return what is left of *state* when the step *level* takes so many cards."""
        stop, step = self._levels[level]
        state -= taken * step.delta
        if step is not stop.steps[-1] or not stop.joins:
            return state
        following, _ = self._levels[level + 1]
        left = [sum(state >> BITS * (pool + 1) & MASK for pool in pools) for pools in stop.joins]
        return entered(left, following.room, BITS)


def _bounds(step: Step, state: State) -> tuple[int, int]:
    """Return the fewest and the most cards that *step* may take; the fewest may be more."""
    room, cards = state & MASK, state >> step.shift & MASK
    beside = sum(state >> shift & MASK for shift in step.beside)
    return max(0, room - beside, cards - step.elsewhere), min(room, cards)


_Group: TypeAlias = tuple[tuple[Place, int], ...]


def _together(kinds: Mapping[Kind, int], rooms: Mapping[Place, int]) -> list[_Group]:
    """Return the places with room, those where the same kinds may lie in one group."""
    groups: dict[frozenset[Kind], list[tuple[Place, int]]] = {}
    for place, room in rooms.items():
        if room:
            here = frozenset(kind for kind in kinds if place in kind)
            groups.setdefault(here, []).append((place, room))
    return [tuple(group) for group in groups.values()]


def _in_order(groups: list[_Group], kinds: Mapping[Kind, int]) -> list[_Group]:
    """Return *groups* in an order that leaves few states, one after the other the best next."""
    left, order = list(groups), list[_Group]()
    while left:
        best = min(left, key=lambda group: _states(kinds, [*order, group]))
        left.remove(best)
        order.append(best)
    return order


def _states(kinds: Mapping[Kind, int], filled: Sequence[_Group]) -> int:
    """Return about how many states there are once *filled* is."""
    done = {place: room for group in filled for place, room in group}
    pools: dict[Kind, int] = {}
    for kind, cards in kinds.items():
        room = sum(done[place] for place in kind if place in done)
        rest = kind.difference(done)
        if room and rest:
            pools[rest] = pools.get(rest, 0) + min(cards, room)
    # One of them follows from the others.
    return prod(sorted(cards + 1 for cards in pools.values())[:-1])


def _planned(order: Sequence[_Group], kinds: Mapping[Kind, int]) -> Iterator[Stop]:
    number = {place: at for at, group in enumerate(order) for place, _ in group}
    rooms = [sum(room for _, room in group) for group in order]
    pools = _pools(kinds, number, 0)
    level = 0
    for at, group in enumerate(order):
        following = _pools(kinds, number, at + 1)
        steps = tuple(_steps(list(pools), at, rooms))
        keys = list(pools)
        yield Stop(
            places=group,
            room=rooms[at],
            level=level,
            pools=tuple(map(tuple, pools.values())),
            steps=steps,
            joins=tuple(
                tuple(n for n, key in enumerate(keys) if key - {at} == other) for other in following
            ),
        )
        level += len(steps)
        pools = following


def _pools(
    kinds: Mapping[Kind, int], number: Mapping[Place, int], at: int
) -> dict[frozenset[int], list[Kind]]:
    """Return the stops from *at* on where cards may lie, with the kinds that may lie there."""
    pools: dict[frozenset[int], list[Kind]] = {}
    for kind in kinds:
        stops = frozenset(stop for place in kind if (stop := number[place]) >= at)
        if stops:
            pools.setdefault(stops, []).append(kind)
    return pools


def _steps(pools: Sequence[frozenset[int]], at: int, rooms: Sequence[int]) -> Iterator[Step]:
    here = [pool for pool, stops in enumerate(pools) if at in stops]
    for done, pool in enumerate(here, 1):
        shift = BITS * (pool + 1)
        yield Step(
            pool=pool,
            shift=shift,
            delta=1 + (1 << shift),
            beside=tuple(BITS * (other + 1) for other in here[done:]),
            elsewhere=sum(rooms[stop] for stop in pools[pool] if stop != at),
        )
