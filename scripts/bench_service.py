#!/usr/bin/env python3
"""The server as its clients meet it, in one run on loopback: round trips beside Redis, point queries beside PostgreSQL, idle connections.

    .venv/bin/python scripts/bench_service.py

Peers are measured where they are installed: redis-server and postgresql (Debian), redis and psycopg (PyPI, in .venv). Each line prints the
figure, the peer's in the same run, and their ratio."""
import json
import multiprocessing
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.argv[1:] = sys.argv[1:] or [str(ROOT / "build/release/pelorus")]
sys.path.insert(0, str(ROOT / "tests/clients"))
sys.path.insert(0, str(ROOT / "tests/support"))
from doors_test import PASSWORD, Server, Web, connect_message, script_message
from ports import free_port

ROUNDS = 4000
ROWS = 1_000_000
QUERY_SECONDS = 4


def timed(call, rounds=ROUNDS):
    for _ in range(rounds // 10):
        call()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    times.sort()
    return statistics.median(times) * 1e6, times[int(len(times) * 0.99)] * 1e6


def line(what, figure, unit, peer=None, peer_figure=None):
    text = f"{what:58} {figure:10.1f} {unit}"
    if peer_figure:
        text += f"   {peer} {peer_figure:10.1f} {unit}   ratio {figure / peer_figure:.2f}"
    elif peer:
        text += f"   {peer} is not installed"
    print(text, flush=True)


class Redis:
    def __init__(self):
        self.process = None
        try:
            import redis
        except ImportError:
            return
        if not shutil.which("redis-server"):
            return
        port = free_port()
        self.process = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL)
        self.client = redis.Redis("127.0.0.1", port)
        for _ in range(100):
            try:
                self.client.ping()
                return
            except redis.ConnectionError:
                time.sleep(0.05)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


class Postgres:
    """A cluster of its own, owned by the user postgres where this is run by root."""

    def __init__(self):
        self.folder = None
        binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        try:
            import psycopg  # noqa: F401
        except ImportError:
            return
        if not binaries:
            return
        self.bin = binaries[-1]
        self.folder = tempfile.mkdtemp(prefix="pelorus_pg_")
        self.port = free_port()
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres")
        run = lambda *words: subprocess.run([*self.user, *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run(self.bin / "initdb", "-D", self.folder + "/data", "-A", "trust", "-U", "bench")
        run(self.bin / "pg_ctl", "-D", self.folder + "/data", "-w", "-o", f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}", "-l", self.folder + "/log", "start")
        with self.connect() as connection:
            connection.execute(f"create table points as select i as id, i * 0.5 as value from generate_series(1, {ROWS}) i")
            connection.execute("create index on points (id)")
            connection.execute("analyze points")

    def connect(self):
        import psycopg
        return psycopg.connect(host="127.0.0.1", port=self.port, user="bench", dbname="postgres", autocommit=True)

    def stop(self):
        if self.folder:
            subprocess.run([*self.user, str(self.bin / "pg_ctl"), "-D", self.folder + "/data", "-m", "fast", "stop"], stdout=subprocess.DEVNULL)
            shutil.rmtree(self.folder, ignore_errors=True)


def pelorus_points(port, number, results):
    import dolphindb
    session = dolphindb.Session()
    session.connect("127.0.0.1", port, "admin", PASSWORD)
    results.put(asked(lambda key: session.run(f"exec value from points where id = {key}"), number))


def postgres_points(peer, number, results):
    connection = peer.connect()
    results.put(asked(lambda key: connection.execute("select value from points where id = %s", (key,)).fetchall(), number))


def asked(ask, number):
    key, times, end = number * 7919, [], time.perf_counter() + QUERY_SECONDS
    while time.perf_counter() < end:
        key = (key + 104729) % ROWS + 1
        begin = time.perf_counter()
        answer = ask(key)
        times.append(time.perf_counter() - begin)
        assert len(answer) == 1, answer
    return times


def points(target, first, clients):
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=target, args=(first, i, results)) for i in range(clients)]
    for worker in workers:
        worker.start()
    times = sorted(t for _ in workers for t in results.get())
    for worker in workers:
        worker.join()
    return times[int(len(times) * 0.99)] * 1e3, len(times) / QUERY_SECONDS


def resident(server):
    return int(re.search(r"Rss:\s+(\d+)", Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()).group(1))


def native(server):
    stream = socket.create_connection(("127.0.0.1", server.port))
    stream.sendall(connect_message())
    stream.recv(1000)
    return stream


def idle(server, clients=1000):
    def client():
        stream = native(server)
        stream.sendall(script_message("x=1..100;sum(x)"))
        stream.recv(1000)
        return stream
    for stream in [client() for _ in range(50)]:
        stream.close()
    time.sleep(4)
    before = resident(server)
    streams = [client() for _ in range(clients)]
    time.sleep(4)
    line(f"idle connection after a script, of {clients}", (resident(server) - before) / clients, "KiB")
    for stream in streams:
        stream.close()
    time.sleep(5)
    line("resident memory after they are gone, more than before", 100 * (resident(server) - before) / before, "%")


def main():
    server = Server("maxConnections=2000")
    redis, postgres = Redis(), Postgres()
    try:
        idle(server)
        import dolphindb
        session = dolphindb.Session()
        session.connect("127.0.0.1", server.port, "admin", PASSWORD)
        median, late = timed(lambda: session.run("1+1"))
        peer = timed(redis.client.ping)[0] if redis.process else None
        line("1+1 by the Python client, median, and Redis PING", median, "us", "redis", peer)
        line("1+1 by the Python client, p99", late, "us")
        stream = native(server)
        bare = script_message("1+1")

        def ask():
            stream.sendall(bare)
            stream.recv(1000)
        plain = timed(ask)[0]
        web = Web(server).login()
        from doors_test import frame
        framed = frame(bare)

        def ask_web():
            web.send(framed)
            web.message()
        line("1+1 over WebSocket, and over a native socket", timed(ask_web)[0], "us", "native", plain)

        def health():
            raw = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            raw.recv(1)
            raw.close()
        line("first byte of /health, with the connection", timed(health, 400)[0], "us")
        session.run(f"share(indexedTable(`id, 1..{ROWS} as id, 0.5 * (1..{ROWS}) as value), `points)")
        for clients in (1, 4, 16):
            late, rate = points(pelorus_points, server.port, clients)
            peer, peer_rate = points(postgres_points, postgres, clients) if postgres.folder else (None, None)
            line(f"point query, p99, {clients} Python clients ({rate:.0f}/s)", late, "ms", f"postgres ({peer_rate or 0:.0f}/s)", peer)
    finally:
        postgres.stop()
        redis.stop()
        server.stop()


if __name__ == "__main__":
    main()
