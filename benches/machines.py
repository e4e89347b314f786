#!/usr/bin/env python3
"""Many machines: network namespaces with addresses of their own, connected by a bridge.

Three hosts explore and check together: with nothing in the way, with 20 ms of latency, with 1 % of loss; then one
is killed in the middle, one has another model, one has another token, and junk is sent to a port. Every answer is
compared with that of one process. Needs root and `ip`. Latency and loss come from `tc` with netem, or, where the kernel has
none, from a switch of our own (`slow_wire.py`) in the bridge's place. What is missing is said, and skipped.

    benches/machines.py        EVENHAND_BIN names the command (default: target/release/evenhand)
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import slow_wire

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BIN = os.environ.get("EVENHAND_BIN", os.path.join(ROOT, "target/release/evenhand"))
NAME = f"eh{os.getpid() % 10000}"
HOSTS = 3
PORT = 7700
TOKEN = "a secret of this run"
MODELS = os.path.join(ROOT, "models/promela")
PHILOSOPHERS = os.path.join(HERE, "models/dining_asymmetric.pml")


def run(*words, check=True):
    done = subprocess.run(words, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def address(host):
    return f"10.213.{os.getpid() % 250}.{host + 1}"


def build():
    run("ip", "link", "add", f"{NAME}b", "type", "bridge")
    run("ip", "link", "set", f"{NAME}b", "up")
    for host in range(HOSTS):
        space, inner, outer = f"{NAME}n{host}", f"{NAME}i{host}", f"{NAME}o{host}"
        run("ip", "netns", "add", space)
        run("ip", "link", "add", inner, "type", "veth", "peer", "name", outer)
        slow_wire.plain(inner)
        slow_wire.plain(outer)
        run("ip", "link", "set", inner, "netns", space)
        run("ip", "link", "set", outer, "master", f"{NAME}b", "up")
        run("ip", "-n", space, "addr", "add", f"{address(host)}/24", "dev", inner)
        run("ip", "-n", space, "link", "set", inner, "up")
        run("ip", "-n", space, "link", "set", "lo", "up")


def tear_down():
    for host in range(HOSTS):
        run("ip", "netns", "del", f"{NAME}n{host}", check=False)
    run("ip", "link", "del", f"{NAME}b", check=False)


def shape(*words):
    """Latency or loss on every host's way out; whether it can be had."""
    for host in range(HOSTS):
        space, inner = f"{NAME}n{host}", f"{NAME}i{host}"
        run("tc", "-n", space, "qdisc", "del", "dev", inner, "root", check=False)
        if words:
            done = run("tc", "-n", space, "qdisc", "add", "dev", inner, "root", "netem", *words, check=False)
            if done.returncode != 0:
                return False
    return True


def round_trip():
    """How long it takes to hear from another host that nobody listens there, in seconds."""
    code = (
        "import socket, time\n"
        "begun = time.monotonic()\n"
        f"try: socket.create_connection(('{address(1)}', {PORT}), timeout=10)\n"
        "except ConnectionRefusedError: print(time.monotonic() - begun)\n"
    )
    return float(run("ip", "netns", "exec", f"{NAME}n0", sys.executable, "-c", code).stdout)


@contextlib.contextmanager
def slow_wires(delay, share):
    """Our own switch in the bridge's place: frames are late by so many seconds, and this share of them is lost."""
    outer = [f"{NAME}o{host}" for host in range(HOSTS)]
    for end in outer:
        run("ip", "link", "set", end, "nomaster")
    words = [sys.executable, slow_wire.__file__, str(delay), str(share), "1", *outer]
    switch = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert switch.stdout.readline().strip() == "ready"
        there_and_back = round_trip()
        print(f"  there and back again in {1000 * there_and_back:.0f} ms")
        assert there_and_back >= 2 * delay, "the wire is not late"
        yield
    finally:
        switch.terminate()
        print(f"  {switch.communicate()[0].strip()}")
        for end in outer:
            run("ip", "link", "set", end, "master", f"{NAME}b")


def start(folder, arguments, host, token=TOKEN, wait="20s"):
    """One process on one host."""
    environment = dict(os.environ, EVENHAND_CLUSTER_TOKEN=token)
    words = ["ip", "netns", "exec", f"{NAME}n{host}", BIN, *arguments, "--format", "json"]
    words += ["--cluster", os.path.join(folder, "hosts"), "--process", str(host), "--wait", wait, "--threads", "1"]
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def together(folder, arguments, timeout=120):
    processes = [start(folder, arguments, host) for host in range(HOSTS)]
    outputs = [process.communicate(timeout=timeout) for process in processes]
    codes = [process.returncode for process in processes]
    return json.loads(outputs[0][0]), codes, outputs


def alone(arguments):
    done = subprocess.run([BIN, *arguments, "--format", "json", "--threads", "1"], capture_output=True, text=True)
    return json.loads(done.stdout), done.returncode


def essence(answer):
    """What must be the same: verdicts, the counts of what holds, the lengths of shortest finite runs."""
    if "properties" not in answer:
        return {key: answer[key] for key in ("states", "transitions", "deadlocks", "depth", "complete")}
    told = []
    for one in answer["properties"]:
        entry = {"name": one["name"], "verdict": one["verdict"]}
        if one["verdict"] == "holds":
            entry["states"] = one["states"]
        run = one["counterexample"]
        if run is not None and not run["cycle"]:
            entry["length"] = run["length"]
        told.append(entry)
    return told


def calls():
    """Calls of the command; one question at a time, since those that are asked together share what was explored."""
    yield ["states", PHILOSOPHERS, "-DN=4"]
    yield ["check", PHILOSOPHERS, "-p", "deadlock", "--reduce", "none"]
    yield ["check", os.path.join(MODELS, "philosophers.pml"), "-p", "deadlock", "--reduce", "none"]
    yield ["check", PHILOSOPHERS, "-p", "accessible", "--reduce", "none"]
    yield ["check", PHILOSOPHERS, "-p", "accessible", "--no-fairness", "--fair", "weak", "--reduce", "none"]


def compare(folder, what):
    for arguments in calls():
        expected, code = alone(arguments)
        begun = time.time()
        found, codes, outputs = together(folder, arguments)
        assert essence(expected) == essence(found), (what, arguments, essence(expected), essence(found))
        assert codes[0] == code, (codes, code, outputs)
        words = " ".join(os.path.basename(word) for word in arguments)
        print(f"{what}: {words}: same answer, {time.time() - begun:.1f} s")


def ended(process, begun, within, codes):
    out, err = process.communicate(timeout=within)
    assert process.returncode in codes, (process.returncode, out, err)
    print(f"  ended with {process.returncode} after {time.time() - begun:.1f} s: {(err.strip() or out.strip())[-160:]!r}")
    return out + err


def killed(folder):
    """One is killed in the middle: the others end within seconds, without a verdict."""
    arguments = ["states", PHILOSOPHERS, "-DN=11"]
    for victim in (HOSTS - 1, 0):
        processes = [start(folder, arguments, host) for host in range(HOSTS)]
        time.sleep(3)
        assert all(process.poll() is None for process in processes), "it should still be exploring"
        children = run("pgrep", "-P", str(processes[victim].pid), check=False).stdout.split()
        for pid in [*children, str(processes[victim].pid)]:
            run("kill", "-KILL", pid, check=False)
        begun = time.time()
        print(f"process {victim} is killed in the middle:")
        for host, process in enumerate(processes):
            if host != victim:
                text = ended(process, begun, 30, (3,))
                assert f"process {victim}" in text, text
        assert time.time() - begun < 20
        processes[victim].communicate()


def kill_all(processes):
    for process in processes:
        children = run("pgrep", "-P", str(process.pid), check=False).stdout.split()
        for pid in [*children, str(process.pid)]:
            run("kill", "-KILL", pid, check=False)
    for process in processes:
        process.communicate()


def continued(folder):
    """All are killed in the middle, and two processes on one host go on: the same answer."""
    strong = ["check", PHILOSOPHERS, "-DN=8", "-p", "accessible", "--reduce", "none"]
    for arguments in (["states", PHILOSOPHERS, "-DN=9"], strong):
        kept = os.path.join(folder, f"kept-{arguments[0]}")
        keep = ["--checkpoint", kept, "--checkpoint-every", "0s"]
        processes = [start(folder, [*arguments, *keep], host) for host in range(HOSTS)]
        begun = time.time()
        while not any("manifest" in files for _, _, files in os.walk(kept)):
            assert time.time() - begun < 30, "nothing was kept"
            time.sleep(0.01)
        time.sleep(0.3)
        was_open = [process.poll() is None for process in processes]
        kill_all(processes)
        assert all(was_open), "it should still be exploring"
        kept_states = sum(os.path.getsize(os.path.join(at, name)) for at, _, all in os.walk(kept) for name in all)
        expected, code = alone(arguments)
        words = [BIN, *arguments, *keep, "--resume", "--processes", "2", "--threads", "1", "--format", "json"]
        done = subprocess.run(words, capture_output=True, text=True)
        found = json.loads(done.stdout)
        assert essence(expected) == essence(found) and done.returncode == code, (expected, done)
        print(f"all are killed in the middle of {arguments[0]}, and two go on from {kept_states} bytes: same answer")


def different(folder):
    """One has another model, one another token: nothing is explored."""
    processes = [start(folder, ["states", PHILOSOPHERS, f"-DN={4 if host else 5}"], host) for host in range(2)]
    processes.append(start(folder, ["states", PHILOSOPHERS, "-DN=5"], 2))
    begun = time.time()
    print("one has another model:")
    texts = [ended(process, begun, 60, (2, 3)) for process in processes]
    assert "another model" in texts[0], texts
    processes = [
        start(folder, ["states", PHILOSOPHERS], host, token=TOKEN if host != 1 else "guessed", wait="3s")
        for host in range(HOSTS)
    ]
    begun = time.time()
    print("one has another token:")
    texts = [ended(process, begun, 60, (2, 3)) for process in processes]
    assert "another token" in texts[1] and "process 1" in texts[0], texts


def junk(folder):
    """Somebody scans a port while processes find each other."""
    code = (
        "import os, socket, sys, time\n"
        "for number in range(60):\n"
        "    try:\n"
        f"        s = socket.create_connection(('{address(0)}', {PORT}), timeout=1)\n"
        "        s.sendall([b'', os.urandom(200), b'GET / HTTP/1.0\\r\\n\\r\\n', b'evenhand cluster 02\\n'][number % 4])\n"
        "        if number % 3: s.close()\n"
        "    except OSError: pass\n"
        "    time.sleep(0.02)\n"
    )
    scanner = subprocess.Popen(["ip", "netns", "exec", f"{NAME}n1", sys.executable, "-c", code])
    arguments = ["states", PHILOSOPHERS, "-DN=5"]
    expected, _ = alone(arguments)
    found, codes, outputs = together(folder, arguments)
    scanner.wait()
    assert essence(expected) == essence(found) and codes == [0] * HOSTS, (found, codes, outputs)
    print("junk is sent to a port: same answer")


def main():
    if os.geteuid() != 0 or shutil.which("ip") is None:
        skip("network namespaces need root and `ip` (iproute2)")
    if not os.path.exists(BIN):
        skip(f"there is no {BIN}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            try:
                build()
            except RuntimeError as error:
                skip(f"no network namespaces here: {error}")
            with open(os.path.join(folder, "hosts"), "w") as hosts:
                hosts.write("# one address to a line\n")
                hosts.writelines(f"{address(host)}:{PORT}\n" for host in range(HOSTS))
            compare(folder, "three hosts")
            if shutil.which("tc") is None or not shape("delay", "20ms"):
                with slow_wires(0.02, 0):
                    compare(folder, "20 ms of latency")
                with slow_wires(0.002, 0.01):
                    compare(folder, "1 % of loss")
            else:
                compare(folder, "20 ms of latency")
                if shape("delay", "2ms", "loss", "1%"):
                    compare(folder, "1 % of loss")
                shape()
            junk(folder)
            different(folder)
            killed(folder)
            continued(folder)
        finally:
            tear_down()
    print("many machines: as one")


main()
