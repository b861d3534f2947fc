"""What is wrong with a text that is not HGN/1."""


class NotationError(ValueError):
    """A text that cannot be read: where, by which public *code*, and what was expected.

    *line* and *column* count from 1; *column* counts characters.
    """

    def __init__(self, code: str, line: int, column: int, expected: str) -> None:
        super().__init__(f"line {line}, column {column}: expected {expected}")
        self.code = code
        self.line = line
        self.column = column
        self.expected = expected
