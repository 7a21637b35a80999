from __future__ import annotations

import threading

from tracer.bell import Bell


def test_who_waits_is_woken():
    bell, heard = Bell(), []
    thread = threading.Thread(target=lambda: heard.append(bell.wait(30)))
    thread.start()
    bell.ring()
    thread.join()
    assert heard == [True]


def test_two_rings_that_nobody_heard_are_one_and_are_not_lost():
    bell = Bell()
    bell.ring()
    bell.ring()
    assert bell.wait(0.001)
    assert not bell.wait(0.001)
    bell.ring()
    assert bell.wait(0.001)
