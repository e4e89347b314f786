"""Work goes on beside Python: others run meanwhile, Ctrl-C ends it, and it tells how far it is."""

import os
import signal
import threading
import time

import pytest

import evenhand
from evenhand import progress


def interrupted(call) -> float:
    """Seconds from the signal to the exception."""
    sent = []

    def send() -> None:
        time.sleep(0.5)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    ended = False
    with pytest.raises(KeyboardInterrupt):
        call()
        ended = True
        sender.join()  # The signal would hit somebody else.
    assert not ended, "it was not that long"
    return time.monotonic() - sent[0]


@pytest.mark.skipif(os.name == "nt", reason="no such signal there")
def test_ctrl_c_ends_everything_that_is_long(endless):
    calls = [
        lambda: endless.check("deadlock", reduce="none"),
        lambda: endless.check(ltl="<> [] (x[0] == 0)", counterexample="shortest"),
        lambda: endless.states(),
        lambda: endless.advise(ltl="<> (x[0] == 255 && x[1] == 255 && x[2] == 255 && x[3] == 1)"),
        lambda: evenhand.translate(" & ".join(f"(G F p{n} -> G F q{n})" for n in range(40)), "buchi"),
    ]
    for call in calls:
        assert interrupted(call) < 20


def test_other_threads_go_on(endless):
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    endless.check("deadlock", limit_time=1, reduce="none")
    seen = turns
    done.set()
    thread.join()
    assert seen > 50


def test_progress_is_told(endless):
    told = []
    report = endless.check("deadlock", limit_time=2, reduce="none", progress=told.append)
    assert report[0].unknown and len(told) >= 2
    assert told[-1]["states"] > told[0]["states"] >= 0
    assert told[-1]["seconds"] > 0 and "states" in progress.line(told[-1])
    assert set(told[0]) == {"seconds", "stage", "states", "depth", "bytes", "rounds", "nodes", "verdicts"}


def test_an_exception_of_the_listener_ends_the_work(endless):
    def stop(told):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        endless.check("deadlock", reduce="none", progress=stop)


def test_progress_is_written_where_it_was_asked_for(endless, capsys):
    endless.check("deadlock", limit_time=1.5, reduce="none", progress=True)
    assert "states" in capsys.readouterr().err
    endless.check("deadlock", limit_time=1, reduce="none")
    assert capsys.readouterr().err == ""


def test_memory_has_a_limit(endless):
    report = endless.check("deadlock", reduce="none", limit_memory=64 << 20)
    assert report[0].unknown and "memory" in report[0].reason
