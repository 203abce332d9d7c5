#!/usr/bin/env python3
"""Clients of all kinds at once, who leave at random, cancel, send broken bytes and read slowly: doors_soak.py PELORUS [SECONDS] [CLIENTS].

Ends with status 1 when the server ended, gave a wrong answer, kept a session, or does not stop in time. Not part of `make test`."""
import json
import random
import socket
import struct
import sys
import threading
import time

from doors_test import INT_TWO, PASSWORD, Server, Web, connect_message, frame, login, script_message, string, upgrade_request

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 300
CLIENTS = int(sys.argv[3]) if len(sys.argv) > 3 else 50
wrong, done = [], {}
lock = threading.Lock()


def note(kind):
    with lock:
        done[kind] = done.get(kind, 0) + 1


def require(holds, what):
    if not holds:
        with lock:
            wrong.append(what)


def native(server, dice, tls):
    stream = server.raw(connect_message(), tls)
    file = stream.makefile("rb")
    file.readline()
    require(file.readline() == b"OK\n", "native login")
    for _ in range(dice.randrange(1, 6)):
        a, b = dice.randrange(1000), dice.randrange(1000)
        stream.sendall(script_message(f"{a}+{b}"))
        if dice.random() < 0.1:
            break  # leaves without its answer
        file.readline()
        require(file.readline() == b"OK\n", "native OK")
        require(file.read(6) == b"\x04\0" + struct.pack("<i", a + b), "native sum")
    stream.close()


def web(server, dice, tls):
    client = Web(server, tls=tls).login()
    for _ in range(dice.randrange(1, 6)):
        choice = dice.random()
        if choice < 0.1:
            client.send(frame(script_message("sleep(30000)")))
            break  # leaves while it runs
        if choice < 0.2:
            client.send(frame(bytes(dice.randrange(256) for _ in range(20)), dice.randrange(256), dice.random() < 0.5))
            break
        if choice < 0.3:
            client.send(frame(script_message("take(`abc, 300000)")))
            for _ in range(20):  # reads slowly, and gives up
                client.stream.recv(100)
                time.sleep(0.01)
            break
        require(client.run("1+1").endswith(INT_TWO), "web answer")
    client.stream.close()


def http(server, dice, tls):
    choice = dice.random()
    if choice < 0.3:
        require(server.http("GET", "/health", tls=tls)[0] == 200, "health")
    elif choice < 0.4:
        server.raw(bytes(dice.randrange(256) for _ in range(dice.randrange(200))), False).close()
    elif choice < 0.5:
        text = json.dumps({"functionName": "executeCode", "params": [string("s", "1+1")]})
        cut = dice.randrange(len(text))
        status, answer, _ = server.http("POST", "/", text[:cut] + chr(dice.randrange(32, 127)) + text[cut + 1:])
        require(status in (200, 400), "broken json")
    else:
        session = login(server)
        a = dice.randrange(1000)
        require(server.run(f"{a} * 2", session, tls=tls)["object"][0]["value"] == str(2 * a), "json answer")
        server.json("logout", session=session)


def client(server, seed, end):
    dice = random.Random(seed)
    while time.time() < end and server.process.poll() is None:
        kind = dice.choice((native, web, http))
        try:
            kind(server, dice, dice.random() < 0.3)
            note(kind.__name__)
        except (OSError, ValueError, struct.error) as error:
            if kind is not web:
                require(isinstance(error, (ConnectionError, TimeoutError)), f"{kind.__name__}: {error!r}")
            note("dropped " + kind.__name__)
        except AssertionError as error:
            require(kind is web, f"{kind.__name__}: {error!r}")


def main():
    server = Server("maxConnections=200")
    end = time.time() + SECONDS
    threads = [threading.Thread(target=client, args=(server, seed, end)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    # It stops while they still run.
    for thread in threads:
        thread.join(60)
    server.alive()
    time.sleep(6)
    session = login(server)
    left = server.run("exec count(*) from getConsoleJobs()", session)["object"][0]["value"]
    require(int(left) <= 1, f"{left} requests still run")
    begin = time.time()
    status = server.stop()
    require(status == 0, f"it ended with {status}")
    require(time.time() - begin < 5.5, f"it took {time.time() - begin:.1f} s to stop")
    print(done)
    for what in sorted(set(wrong)):
        print("WRONG", what, wrong.count(what))
    return 1 if wrong or not done else 0


if __name__ == "__main__":
    sys.exit(main())
