"""Room at an endpoint, between threads and between processes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from assistants.models.openai import openai_model
from assistants.throttle import Throttle
from stagetrace.parts import chat_model
from tracer.errors import InputError
from tracer.records import Message


def together(throttle: Throttle, count: int) -> int:
    """How many of `count` threads were inside at the same time, at most."""
    inside, most = 0, 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        with throttle.turn():
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.05)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return most


@pytest.mark.parametrize("at_once", [1, 2])
def test_never_more_at_once_than_there_is_room(tmp_path: Path, at_once: int) -> None:
    assert together(Throttle(tmp_path / "e", at_once), 5) <= at_once


def test_without_limits_nothing_is_kept(tmp_path: Path) -> None:
    assert together(Throttle(tmp_path / "e"), 4) > 1
    assert list(tmp_path.iterdir()) == []


def test_requests_begin_a_gap_apart(tmp_path: Path) -> None:
    throttle = Throttle(tmp_path / "e", per_minute=1200)
    begun = []
    for _ in range(4):
        with throttle.turn():
            begun.append(time.time())
    assert begun[-1] - begun[0] >= 3 * 0.05 - 0.005


def test_two_throttles_of_one_folder_share_the_pace(tmp_path: Path) -> None:
    began = time.time()
    for _ in range(2):
        for throttle in (Throttle(tmp_path / "e", per_minute=1200) for _ in range(2)):
            with throttle.turn():
                last = time.time()
    assert last - began >= 3 * 0.05 - 0.005


def test_a_process_that_dies_gives_its_place_back(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, sys\n"
        "from assistants.throttle import Throttle\n"
        "with Throttle(pathlib.Path(sys.argv[1]), 1).turn():\n"
        "    print('in', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "e")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "in\n"
    entered = threading.Event()

    def enter() -> None:
        with Throttle(tmp_path / "e", 1).turn():
            entered.set()

    thread = threading.Thread(target=enter, daemon=True)
    thread.start()
    assert not entered.wait(0.2)
    process.kill()
    process.communicate()
    assert entered.wait(10)
    thread.join()


def test_model_keeps_to_the_pace(fault_server: Any, tmp_path: Path) -> None:
    with fault_server("ok") as server:
        model: Any = openai_model(
            "m", base_url=server.url, timeout_s=5, per_minute=600, places=tmp_path
        )
        began = time.monotonic()
        for _ in range(3):
            model.chat([Message("user", "Hi")])
        model.close()
    assert time.monotonic() - began >= 0.19
    assert (tmp_path / server.url.split("/")[2].replace(":", "-") / "next").exists()


def test_limits_without_an_endpoint_are_refused() -> None:
    with pytest.raises(InputError, match="model 'rules' has none"):
        chat_model("rules", at_once=2)
