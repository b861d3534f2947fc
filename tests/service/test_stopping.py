import threading

from service import stopping


def test_a_second_signal_may_come_in_the_middle_of_the_first(monkeypatch):
    class Interrupted(threading.Event):
        def set(self):
            stopping.begin()
            super().set()

    monkeypatch.setattr(stopping, "_stopping", Interrupted())
    monkeypatch.setattr(stopping, "_first", threading.Lock(), raising=False)

    stopping.begin()

    assert stopping.is_stopping()
