import io
import logging

import pytest

from service.logs import LineFormatter, configure, log_context, where, without_secrets

TOKEN = "AbC-123_x.y~z"


@pytest.fixture
def log():
    """A logger of its own, and what it wrote."""
    logger = logging.Logger("service.test")  # noqa: LOG001  # not one that others see
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(LineFormatter())
    logger.addHandler(handler)
    return logger, written


def test_a_line_has_time_level_logger_and_message(log):
    logger, written = log

    logger.warning("a game %s", "started")

    line = written.getvalue()
    assert line.endswith('Z warning service.test "a game started"\n')
    assert line[:20].startswith("20")
    assert line[10] == "T"


def test_the_context_stands_in_each_line_written_inside_it(log):
    logger, written = log

    with log_context(request_id="7f3c9a1e52d84b06"), log_context(game="88ab", version=43):
        logger.info("inside")
    logger.info("outside")

    inside, outside = written.getvalue().splitlines()
    assert 'request_id=7f3c9a1e52d84b06 game=88ab version=43 "inside"' in inside
    assert "game" not in outside


def test_an_event_is_one_line_whatever_is_in_it(log):
    logger, written = log

    with log_context(path='/v1 "x"\n/v2'):
        logger.info("two\nlines\x1b[31m")

    line = written.getvalue()
    assert line.count("\n") == 1
    assert "\x1b" not in line
    assert r'path="/v1 \"x\"\n/v2"' in line


@pytest.mark.parametrize("prefix", ["hst_", "hht_", "hak_", "hsk_", "ticket=", "ticket%3D"])
@pytest.mark.parametrize(
    "around", ["{}", "Bearer {}", "\n{}\n", '"{}"', "/stream?{}&x=1", "{{'Authorization': '{}'}}"]
)
def test_no_token_is_let_through(prefix, around):
    text = without_secrets(around.format(prefix + TOKEN))

    assert TOKEN not in text
    assert text == around.format(prefix + "[hidden]")


def test_a_token_in_arguments_context_or_exception_is_hidden(log):
    logger, written = log

    with log_context(header=f"Bearer hst_{TOKEN}"):
        try:
            int(f"line\nhht_{TOKEN}")
        except ValueError:
            logger.exception("failed with %s", {"token": f"hak_{TOKEN}"})

    line = written.getvalue()
    assert TOKEN not in line
    assert "ValueError" in line
    assert all(f"{prefix}[hidden]" in line for prefix in ("hst_", "hht_", "hak_"))


def test_only_lines_of_the_chosen_level_are_written():
    before = logging.root.handlers[:], logging.root.level
    written = io.StringIO()

    try:
        configure("warning", written)
        logging.getLogger("service.x").info("quiet")
        logging.getLogger("service.x").warning("loud")
    finally:
        logging.captureWarnings(capture=False)
        logging.root.handlers[:], logging.root.level = before

    assert "quiet" not in written.getvalue()
    assert '"loud"' in written.getvalue()


def test_a_failure_is_told_by_kind_and_place_alone():
    def fails():
        raise ValueError("the seven of hearts")

    with pytest.raises(ValueError, match="seven") as caught:
        fails()

    text = where(caught.value)

    assert text.startswith("ValueError < test_logs.py:")
    assert "hearts" not in text
