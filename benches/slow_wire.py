#!/usr/bin/env python3
"""A switch between network interfaces that is late and loses frames: for kernels without `tc netem`.

    benches/slow_wire.py DELAY-IN-SECONDS SHARE-LOST SEED INTERFACE INTERFACE [...]

Every frame that comes in at an interface goes out at the one where its receiver was last heard of, or at all others. It waits
as long as asked, in the order in which it came, and one in so many is dropped, by draws from the seed. What it says when it
ends is how many frames were carried and how many were lost. The interfaces are ends of virtual pairs whose other ends have
handed their offloading off (`plain`): frames are then as long as on a wire and carry their checksums.
"""

import collections
import ctypes
import fcntl
import random
import select
import signal
import socket
import struct
import sys
import time

ALL_PROTOCOLS = 3
ASK_DRIVER = 0x8946
# Checksums, scattered buffers, segmentation by the driver, by its stand-in, and putting together again.
OFFLOADING = (0x17, 0x19, 0x1F, 0x24, 0x2C)
OUTGOING = 4


def plain(interface):
    """Switches offloading off, so that whoever listens at the other end sees frames as a wire has them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for what in OFFLOADING:
            value = ctypes.create_string_buffer(struct.pack("II", what, 0), 8)
            request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
            try:
                fcntl.ioctl(asked, ASK_DRIVER, request)
            except OSError:
                pass  # Not every driver knows every kind.


def ends(interfaces):
    """A socket for each interface."""
    opened = []
    for interface in interfaces:
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
        end.bind((interface, 0))
        end.setblocking(False)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        opened.append(end)
    return opened


def carry(delay, share, seed, interfaces):
    """Carries frames until somebody says that it is enough; how many, and how many were lost."""
    draw = random.Random(seed)
    sockets = ends(interfaces)
    waiting = collections.deque()
    seen_at = {}
    carried = lost = 0
    over = []
    signal.signal(signal.SIGTERM, lambda *_: over.append(True))
    print("ready", flush=True)
    while not over:
        patience = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.2
        ready, _, _ = select.select(sockets, [], [], patience)
        for source in ready:
            try:
                frame, (_, _, kind, *_) = source.recvfrom(1 << 16)
            except BlockingIOError:
                continue
            if kind == OUTGOING:
                continue
            seen_at[frame[6:12]] = source
            if draw.random() < share:
                lost += 1
                continue
            target = seen_at.get(frame[:6])
            targets = [target] if target else sockets
            waiting.append((time.monotonic() + delay, frame, [t for t in targets if t is not source]))
        while waiting and waiting[0][0] <= time.monotonic():
            _, frame, targets = waiting.popleft()
            for target in targets:
                try:
                    target.send(frame)
                    carried += 1
                except OSError:
                    lost += 1  # A full buffer loses frames on real wires, too.
    return carried, lost


def main():
    delay, share, seed = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    carried, lost = carry(delay, share, seed, sys.argv[4:])
    print(f"{carried} frames carried, {lost} lost", flush=True)


if __name__ == "__main__":
    main()
