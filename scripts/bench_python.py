#!/usr/bin/env python3
"""Results to Python, in one run on loopback: 2 million quotes of ten columns to pandas by the unmodified client, beside a server that only sends
prepared bytes, and beside pickle.load of the same frame with text objects: `make bench-python`.

    .venv/bin/python scripts/bench_python.py [pelorus]

Each task is run some times in turns with its peer; the figure is the ratio of the medians, ours by theirs."""
import multiprocessing
import os
import pickle
import socket
import statistics
import sys
import threading
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.argv[1:] = sys.argv[1:] or [str(ROOT / "build/release/pelorus")]
sys.path[:0] = [str(ROOT / "tests/clients"), str(ROOT / "tests/support")]
import dolphindb as ddb
from dolphindb import settings as keys
from python_client_test import PASSWORD, Server

warnings.simplefilter("ignore")  # the client's
ROWS = int(os.environ.get("PELORUS_BENCH_ROWS", 2_000_000))
ROUNDS = 7
USERS = 3
QUOTES = """n = {rows}
quotes = table(take(symbol("S" + string(0..999)), n) as sym, take(2024.01.02, n) as day, 2024.01.02T09:30:00.000000000 + 11000l * (0..(n - 1)) as time, rand(100.0, n) as bid,
  rand(100.0, n) as ofr, rand(1000, n) as bidsiz, rand(1000, n) as ofrsiz, rand(20, n) as mode, take(symbol(`N`P`T`Q), n) as ex, take(symbol(`ARCA`NSDQ`EDGX), n) as mmid)
share(quotes, `quotes)"""
SCRIPT = "select * from quotes"


def recorded(port, flags):
    """What the server answers to the script, byte for byte, without its session's id."""
    with socket.create_connection(("127.0.0.1", port)) as s:
        def ask(body, options):
            s.sendall(f"API2 0 {len(body)} / {options}\n{body}".encode())
        ask(f"connect\nlogin\nadmin\n{PASSWORD}\nfalse", "32_1_4_2")
        s.recv(4096)
        ask(f"script\n{SCRIPT}", f"{flags}_1_4_64__0")
        s.settimeout(0.5)
        pieces = []
        try:
            while piece := s.recv(1 << 20):
                pieces.append(piece)
        except TimeoutError:
            pass
    answer = b"".join(pieces)
    return answer[answer.index(b" "):]


class Sender:
    """A server that knows one answer, in a process of its own."""

    def __init__(self, answer):
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.process = multiprocessing.get_context("fork").Process(target=self.serve, args=(listener, answer), daemon=True)
        self.process.start()
        listener.close()

    def serve(self, listener, answer):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=self.talk, args=(connection, b"1" + answer), daemon=True).start()

    @staticmethod
    def talk(connection, answer):
        stream = connection.makefile("rb")
        while line := stream.readline():
            body = stream.read(int(line.split()[2]))
            connection.sendall(answer if SCRIPT.encode() in body else b"1 0 1\nOK\n")


def session(port, protocol=keys.PROTOCOL_DDB):
    made = ddb.Session(protocol=protocol)
    assert made.connect("127.0.0.1", port, "admin", PASSWORD)
    return made


def seconds(f):
    begin = time.perf_counter()
    f()
    return time.perf_counter() - begin


def in_turns(ours, theirs, rounds=ROUNDS):
    """The medians of both, without the first turn."""
    turns = [(seconds(ours), seconds(theirs)) for _ in range(rounds + 1)][1:]
    return statistics.median(t[0] for t in turns), statistics.median(t[1] for t in turns)


def report(name, mine, peer, goal):
    print(f"{name:66} {mine:7.3f} s {peer:7.3f} s   {mine / peer:5.2f} (goal {goal})", flush=True)


def user(port, protocol, start, done):
    client = session(port, protocol)
    client.run(SCRIPT)
    start.wait()
    for _ in range(3):
        client.run(SCRIPT)
    done.wait()


def users(port, protocol, count):
    """The time in which so many users, each a process, have fetched the table three times."""
    context = multiprocessing.get_context("fork")
    start, done = context.Barrier(count + 1), context.Barrier(count + 1)
    processes = [context.Process(target=user, args=(port, protocol, start, done), daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    start.wait()
    taken = seconds(done.wait)
    for process in processes:
        process.join()
    return taken


def main():
    server = Server(sys.argv[1])
    maker = session(server.port)
    maker.run(QUOTES.format(rows=ROWS))
    frame = maker.run(SCRIPT)
    pickled = pickle.dumps(frame.assign(**{c: frame[c].astype(object) for c in ("sym", "ex", "mmid")}), protocol=5)
    print(f"{ROWS} quotes of 10 columns, {frame.memory_usage(index=False, deep=False).sum() / 1e6:.0f} MB; ours, theirs, ratio")
    for name, protocol, flags in (("native client to pandas", keys.PROTOCOL_DDB, 32), ("Arrow protocol to a pyarrow table", keys.PROTOCOL_ARROW, 32800)):
        sender = Sender(recorded(server.port, flags))
        ours, prepared = session(server.port, protocol), session(sender.port, protocol)
        report(f"{name} (server that sends prepared bytes)", *in_turns(lambda: ours.run(SCRIPT), lambda: prepared.run(SCRIPT)), "1.1")
        sender.process.kill()
    arrow, native = session(server.port, keys.PROTOCOL_ARROW), session(server.port)
    loads = lambda: pickle.loads(pickled)  # noqa: E731
    report("Arrow protocol to pandas (pickle.load of text objects)", *in_turns(lambda: arrow.run(SCRIPT).to_pandas(date_as_object=False), loads), "0.33")
    report("native client to pandas (pickle.load of text objects)", *in_turns(lambda: native.run(SCRIPT), loads), "1.0")
    for name, protocol in (("native", keys.PROTOCOL_DDB), ("Arrow", keys.PROTOCOL_ARROW)):
        many, one = in_turns(lambda: users(server.port, protocol, USERS), lambda: users(server.port, protocol, 1), 3)
        report(f"{USERS} users at once, {name} (one user)", many, one, "1.5")
    upload = lambda: native.upload({"received": frame})  # noqa: E731
    upload()
    print(f"upload of the frame: {statistics.median(seconds(upload) for _ in range(3)):.3f} s")
    server.stop()


if __name__ == "__main__":
    sys.exit(main())
