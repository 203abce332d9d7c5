"""Ports for programs that are started later, perhaps again: nobody must take them meanwhile."""
import random
import socket

# Below the range from which systems take the ports of outgoing connections, which come and go all the time.
LOW, HIGH = 20000, 32000


def free_port():
    while True:
        port = random.SystemRandom().randrange(LOW, HIGH)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
