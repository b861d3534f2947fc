"""Nobody waits beyond the limits, and every place is given back."""

import threading
from contextlib import ExitStack

import pytest

from service.places import Places, StreamCapacityError, TooManyStreamsError

ME = {"me": 2}


@pytest.fixture
def places():
    return Places(4)


def test_one_caller_has_as_many_places_as_it_may(places):
    with places.taken("waits", ME), places.taken("waits", ME):
        with pytest.raises(TooManyStreamsError) as caught, places.taken("waits", ME):
            pass
        with places.taken("waits", {"you": 2}):
            pass

    assert caught.value.policy == "waits"


def test_every_name_counts(places):
    with (
        places.taken("streams", {"token": 2, "address": 2}),
        places.taken("streams", {"address": 2}),
        pytest.raises(TooManyStreamsError),
        places.taken("streams", {"other": 2, "address": 2}),
    ):
        pass

    assert not places._taken


def test_there_are_no_more_places_than_there_are(places):
    with ExitStack() as stack:
        for number in range(4):
            stack.enter_context(places.taken("waits", {f"caller {number}": 1}))
        for bounds in ({"another": 1}, {}):
            with pytest.raises(StreamCapacityError), places.taken("waits", bounds):
                pass
        assert places.count == 4

    assert (places.count, len(places._taken)) == (0, 0)


def test_a_place_is_free_again_after_an_error(places):
    for _ in range(10):
        with pytest.raises(ZeroDivisionError), places.taken("waits", ME):
            raise ZeroDivisionError

    assert (places.count, len(places._taken)) == (0, 0)


def test_a_place_is_given_back_once(places):
    leave = places.take("streams", ME)
    with places.taken("streams", ME):
        leave()
        leave()

        assert places.count == 1


def test_an_empty_room_can_be_waited_for(places):
    leave = places.take("streams", ME)

    assert not places.wait_until_empty(0.01)
    threading.Timer(0.01, leave).start()
    assert places.wait_until_empty(10)


def test_a_hundred_at_once_keep_their_count():
    places, refused = Places(60), []
    barrier = threading.Barrier(100)

    def wait(number):
        barrier.wait()
        try:
            with places.taken("waits", {f"caller {number % 40}": 2}):
                pass
        except (TooManyStreamsError, StreamCapacityError) as exc:
            refused.append(exc)

    threads = [threading.Thread(target=wait, args=[number]) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (places.count, len(places._taken)) == (0, 0)
