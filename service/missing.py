"""What operations raise that cannot show what they are asked for."""


class NotThere(Exception):  # noqa: N818 - as HTTP calls it
    """Something inside a game or list that does not exist; *code* says what."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class NotRevealed(Exception):  # noqa: N818 - a fact about the game
    """Something that is not open to this view yet."""

    def __init__(self, revealed_version: int) -> None:
        super().__init__(f"Only versions up to {revealed_version} are open.")
        self.revealed_version = revealed_version


class NotProvable(Exception):  # noqa: N818 - a fact about the game
    """A deal that another game has dealt; *proof* is the path where that one proves it."""

    def __init__(self, proof: str) -> None:
        super().__init__("The deal was copied; the game that it came from proves it.")
        self.proof = proof


class NotAcceptable(Exception):  # noqa: N818 - as HTTP calls it
    """A form that does not exist is asked for; *available* has the media types that do."""

    def __init__(self, available: list[str]) -> None:
        super().__init__(f"This comes as {' or '.join(available)}.")
        self.available = available
