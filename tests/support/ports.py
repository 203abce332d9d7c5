"""Ports for programs that are started later, perhaps again: nobody must take them meanwhile."""
import itertools
import os
import socket

# Below the range from which systems take the ports of outgoing connections, which come and go all the time.
LOW, HIGH = 20000, 32000
# Test programs that run at once have numbers near each other: each draws from a block of its own.
BLOCK = 100
_next = itertools.count()


def free_port():
    first = LOW + os.getpid() % ((HIGH - LOW) // BLOCK) * BLOCK
    while True:
        port = first + next(_next) % BLOCK
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
