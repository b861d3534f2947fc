"""Values inside stored events: their kinds with their bounds, and the rules.

`docs/stored-form.md` describes them. A shape that is more than one kind of thing is
never a tuple of fixed length: where such a union has a bounded number, msgspec 0.23
reads wild memory. Arrays of several values are structs instead.
"""

from types import MappingProxyType
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct, field

from engine import events as e
from engine.cards import MOST_PACKS, PACK_SIZE, Card, CardSet, each, union
from engine.commands import FORK, IMPORT, REMATCH, Origin, SeedChain
from engine.rules import (
    BrokenBy,
    Deck,
    Direction,
    Ending,
    FirstTrickPoints,
    HeartPoints,
    HeartsAndQueen,
    HeartsLead,
    KittyTo,
    Leftover,
    Moon,
    MoonNeeds,
    OpeningLead,
    Passing,
    Play,
    QueenLimit,
    Reach,
    Removal,
    Reveal,
    Rules,
    Scoring,
    Tie,
)
from engine.scoring import MoonChoice, ShotKind
from engine.seats import FEWEST_SEATS, MOST_SEATS, PerSeat
from engine.shuffle import NO_SEED

_CARD_SET_BYTES: Final = MOST_PACKS * PACK_SIZE // 8
_LINK_BYTES: Final = 32
_ID_BYTES: Final = 16
MOST_COUNT: Final = 2**31 - 1

SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, lt=MOST_SEATS)]
CardNumber: TypeAlias = Annotated[int, Meta(ge=0, lt=MOST_PACKS * PACK_SIZE)]
CardNumbers: TypeAlias = tuple[CardNumber, ...]
CardBytes: TypeAlias = Annotated[bytes, Meta(max_length=_CARD_SET_BYTES)]
LinkBytes: TypeAlias = Annotated[bytes, Meta(min_length=_LINK_BYTES, max_length=_LINK_BYTES)]
GameIdBytes: TypeAlias = Annotated[bytes, Meta(min_length=_ID_BYTES, max_length=_ID_BYTES)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_COUNT)]
Points: TypeAlias = Annotated[int, Meta(ge=-MOST_COUNT, le=MOST_COUNT)]
Grant: TypeAlias = Annotated[int, Meta(ge=0, lt=2**48)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=0, lt=2**43)]
Auto: TypeAlias = Literal["fallback", "takeover", "timeout"] | None

Visibility: TypeAlias = Literal["public", "unlisted", "private"]
OriginKind: TypeAlias = Literal["import", "fork", "rematch"]
_EVERY_SEAT: Final = Meta(min_length=FEWEST_SEATS, max_length=MOST_SEATS)
PointsPerSeat: TypeAlias = Annotated[tuple[Points, ...], _EVERY_SEAT]
Hands: TypeAlias = Annotated[tuple[CardBytes, ...], _EVERY_SEAT]
Seeds: TypeAlias = Annotated[tuple[LinkBytes | None, ...], _EVERY_SEAT]

_CARDS: Final = tuple(1 << place for place in range(MOST_PACKS * PACK_SIZE))


class Form(Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """An array with a value in each place, none of them left out or added."""


class BotActor(Form):
    """A bot, as the actor of an event."""

    seat: SeatNumber
    level: str
    version: Count


class BotSeat(Form):
    """A seat that a bot plays."""

    level: str
    name: str


class OriginForm(Form):
    """Where a game comes from that did not begin here."""

    kind: OriginKind
    game_id: GameIdBytes
    version: Count | None

    def origin(self) -> Origin:
        """Return it as the engine has it."""
        return Origin(self.kind, self.game_id.hex(), self.version)


class SeedChainForm(Form):
    """The chain of a seeded game; the seed is None in a copy."""

    commitment: LinkBytes
    seed: LinkBytes | None

    def chain(self) -> SeedChain:
        """Return it as the engine has it."""
        return SeedChain(self.commitment.hex(), None if self.seed is None else self.seed.hex())


class Gift(Form):
    """Cards that came from another seat."""

    giver: SeatNumber
    cards: CardBytes


class Shot(Form):
    """The moon or sun of a scored deal."""

    seat: SeatNumber
    kind: ShotKind
    points: Points
    choice: MoonChoice


class Opened(Form):
    """A deal laid open."""

    deal: Count
    link: LinkBytes
    hands: Hands
    kitty: CardBytes = b""


class ExtraPoints(Form):
    """What a single card counts by an option."""

    card: CardNumber
    points: Points


class PassingForm(Form):
    """The options of passing."""

    count: Count
    cycle: tuple[Direction, ...]


class PlayForm(Form):
    """The options of play."""

    opening_lead: OpeningLead
    first_trick_points: FirstTrickPoints
    hearts_lead: HeartsLead
    hearts_broken_by: BrokenBy
    queen: QueenLimit
    hearts_and_queen: HeartsAndQueen
    cancel_pairs: bool = False


class ScoringForm(Form):
    """The options of scoring."""

    hearts: HeartPoints | dict[str, Points]
    queen_of_spades: Points
    extra: tuple[ExtraPoints, ...]
    no_trick: Points
    moon: Moon
    moon_points: Points | None
    moon_needs: MoonNeeds
    moon_absorbs_bonus: bool
    sun_points: Points | None


class EndingForm(Form):
    """The options of a game's end."""

    target: Count | None
    deals: Count | None
    reach: Reach
    tie: Tie


class DeckForm(Form):
    """The options of the deck, but for the cards left out."""

    leftover: Leftover = Leftover.NONE
    kitty_to: KittyTo = KittyTo.FIRST_TRICK
    packs: Annotated[int, Meta(ge=1, le=MOST_PACKS)] = 1


class RulesForm(Form):
    """Every option of a game."""

    preset: str
    version: Count
    seats: Annotated[int, Meta(ge=FEWEST_SEATS, le=MOST_SEATS)]
    reveal: Reveal
    remove: Removal | CardNumbers
    passing: PassingForm
    play: PlayForm
    scoring: ScoringForm
    ending: EndingForm
    deck: DeckForm = field(default_factory=DeckForm)

    def rules(self) -> Rules:
        """Return the rules spelt out here."""
        return Rules(
            preset=self.preset,
            seats=self.seats,
            deck=Deck(
                remove=_removal(self.remove),
                packs=self.deck.packs,
                leftover=self.deck.leftover,
                kitty_to=self.deck.kitty_to,
            ),
            passing=Passing(self.passing.count, self.passing.cycle),
            play=_play(self.play),
            scoring=_scoring(self.scoring),
            ending=Ending(
                self.ending.target, self.ending.deals, self.ending.reach, self.ending.tie
            ),
            reveal=self.reveal,
            version=self.version,
        )


def rules_form(rules: Rules) -> RulesForm:
    """Return *rules* as they are stored."""
    deck, ending = rules.deck, rules.ending
    return RulesForm(
        preset=rules.preset,
        version=rules.version,
        seats=rules.seats,
        reveal=rules.reveal,
        remove=_removal_form(deck.remove),
        passing=PassingForm(rules.passing.count, rules.passing.cycle),
        play=_play_form(rules.play),
        scoring=_scoring_form(rules.scoring),
        ending=EndingForm(ending.target, ending.deals, ending.reach, ending.tie),
        deck=DeckForm(deck.leftover, deck.kitty_to, deck.packs),
    )


def _removal(remove: Removal | CardNumbers) -> Removal | CardSet:
    return remove if isinstance(remove, Removal) else union(cards_at(remove))


def _removal_form(remove: Removal | CardSet) -> Removal | CardNumbers:
    return remove if isinstance(remove, Removal) else numbers_of(tuple(each(remove)))


def _play(form: PlayForm) -> Play:
    return Play(
        opening_lead=form.opening_lead,
        first_trick_points=form.first_trick_points,
        hearts_lead=form.hearts_lead,
        hearts_broken_by=form.hearts_broken_by,
        queen=form.queen,
        hearts_and_queen=form.hearts_and_queen,
        cancel_pairs=form.cancel_pairs,
    )


def _play_form(play: Play) -> PlayForm:
    return PlayForm(
        opening_lead=play.opening_lead,
        first_trick_points=play.first_trick_points,
        hearts_lead=play.hearts_lead,
        hearts_broken_by=play.hearts_broken_by,
        queen=play.queen,
        hearts_and_queen=play.hearts_and_queen,
        cancel_pairs=play.cancel_pairs,
    )


def _scoring(form: ScoringForm) -> Scoring:
    hearts = form.hearts
    return Scoring(
        hearts=hearts if isinstance(hearts, HeartPoints) else MappingProxyType(hearts),
        queen_of_spades=form.queen_of_spades,
        extra=MappingProxyType({_CARDS[pair.card]: pair.points for pair in form.extra}),
        no_trick=form.no_trick,
        moon=form.moon,
        moon_points=form.moon_points,
        moon_needs=form.moon_needs,
        moon_absorbs_bonus=form.moon_absorbs_bonus,
        sun_points=form.sun_points,
    )


def _scoring_form(scoring: Scoring) -> ScoringForm:
    hearts = scoring.hearts
    return ScoringForm(
        hearts=hearts if isinstance(hearts, HeartPoints) else dict(hearts),
        queen_of_spades=scoring.queen_of_spades,
        extra=tuple(
            ExtraPoints(number_of(one), points) for one, points in sorted(scoring.extra.items())
        ),
        no_trick=scoring.no_trick,
        moon=scoring.moon,
        moon_points=scoring.moon_points,
        moon_needs=scoring.moon_needs,
        moon_absorbs_bonus=scoring.moon_absorbs_bonus,
        sun_points=scoring.sun_points,
    )


def packed(some: CardSet) -> bytes:
    """Return *some* as bytes, the least significant first and none of them 0 at the end."""
    return some.to_bytes((some.bit_length() + 7) // 8, "little")


def unpacked(form: bytes) -> CardSet:
    """Return the cards that *form* names."""
    return int.from_bytes(form, "little")


def number_of(one: Card) -> int:
    """Return the place of *one* in deck order, a second pack after the first."""
    return one.bit_length() - 1


def numbers_of(some: tuple[Card, ...]) -> CardNumbers:
    """Return the places of *some*, in the same order."""
    return tuple(one.bit_length() - 1 for one in some)


def card_at(number: int) -> Card:
    """Return the card in place *number*."""
    return _CARDS[number]


def cards_at(numbers: CardNumbers) -> tuple[Card, ...]:
    """Return the cards in the places *numbers*, in the same order."""
    return tuple([_CARDS[number] for number in numbers])


def hands_form(hands: PerSeat[CardSet]) -> Hands:
    """Return each seat's cards as bytes."""
    return tuple(packed(hand) for hand in hands)


def hands_of(form: Hands) -> PerSeat[CardSet]:
    """Return each seat's cards."""
    return tuple(unpacked(hand) for hand in form)


def raw(text: str) -> bytes:
    """Return the bytes that *text*, lower-case hex, spells.

    Raises:
        ValueError: It is no such text.
    """
    form = bytes.fromhex(text)
    if form.hex() != text:
        msg = f"{text!r} is not lower-case hex"
        raise ValueError(msg)
    return form


def seed_form(seed: str | None) -> bytes | None:
    """Return a client seed as bytes; None where none was sent."""
    return None if seed is None or seed == NO_SEED else raw(seed)


def origin_form(origin: Origin | None) -> OriginForm | None:
    """Return where a game comes from as it is stored."""
    if origin is None:
        return None
    kinds: dict[str, OriginKind] = {IMPORT: "import", FORK: "fork", REMATCH: "rematch"}
    return OriginForm(kinds[origin.kind], raw(origin.game_id), origin.version)


def seed_chain_form(chain: SeedChain | None) -> SeedChainForm | None:
    """Return the chain of a seeded game as it is stored; None in all others."""
    return None if chain is None else SeedChainForm(raw(chain.commitment), seed_form(chain.seed))


def opened_form(opened: e.Opened) -> Opened:
    """Return a deal laid open as it is stored."""
    return Opened(opened.deal, raw(opened.seed), hands_form(opened.hands), packed(opened.kitty))


def opened_of(form: Opened) -> e.Opened:
    """Return the deal that *form* lays open."""
    return e.Opened(form.deal, form.link.hex(), hands_of(form.hands), unpacked(form.kitty))
