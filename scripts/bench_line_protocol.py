#!/usr/bin/env python3
"""Durable rows a second over the line protocol, in order and shuffled, beside QuestDB in the same run.

    .venv/bin/python scripts/bench_line_protocol.py [PELORUS [ROWS]]

The rows have the shape of TSBS cpu-only: 10 tags and 10 integer fields of 4,000 hosts, 350 bytes a line; shuffled ones change places within
windows of 40,000. A raw sender posts prepared requests of 10,000 lines over HTTP from 1, 2 and 4 connections (a request counts when it is
acknowledged), or sends the same bytes over TCP (rows count when a query sees them all); QuestDB's own Sender builds its rows itself. A row of
ours is on disk when it counts, one of QuestDB's is in its log, not synced. QuestDB is a jar of Maven Central: set QUESTDB_CP to it. Without it
the limit beside is a copy of the same bytes in memory."""
import argparse
import json
import multiprocessing
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from http.client import HTTPConnection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
from ports import free_port

HOSTS = 4000
STEP = 10 * 10**9
START = 1_451_606_400_000_000_000
BATCH = 10_000
WINDOW = 40_000
FIELDS = "user system idle nice iowait irq softirq steal guest guest_nice".split()


def lines_of(rows):
    """The lines, in the order of their times."""
    draw = random.Random(1)
    regions = ["us-east-1", "us-west-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-southeast-1", "ap-northeast-1", "sa-east-1"]
    tags = []
    for host in range(HOSTS):
        region = draw.choice(regions)
        tags.append(f"cpu,hostname=host_{host},region={region},datacenter={region}{draw.choice('abc')},rack={draw.randrange(100)},os={draw.choice(['Ubuntu16.10', 'Ubuntu15.10', 'Ubuntu16.04LTS'])},"
                    f"arch={draw.choice(['x64', 'x86'])},team={draw.choice(['SF', 'LON', 'NYC', 'CHI'])},service={draw.randrange(20)},service_version={draw.randrange(2)},"
                    f"service_environment={draw.choice(['staging', 'production', 'test'])}")
    bits = draw.getrandbits
    out = []
    for i in range(rows):
        host = i % HOSTS
        values = bits(70)
        fields = ",".join([f"usage_{name}={(values >> 7 * k & 127) % 101}i" for k, name in enumerate(FIELDS)])
        out.append(f"{tags[host]} {fields} {START + i // HOSTS * STEP}\n")
    return out


def shuffled(lines):
    draw = random.Random(2)
    out = []
    for begin in range(0, len(lines), WINDOW):
        window = lines[begin:begin + WINDOW]
        draw.shuffle(window)
        out += window
    return out


class Pelorus:
    name = "pelorus"

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_lines_")
        config = self.folder.name + "/node.cfg"
        Path(config).write_text(f"port=0\nilpPort=0\nilpUser=admin\ndataDir={self.folder.name}/data\nadminPassword=open-sesame-1\n")
        self.process = subprocess.Popen([binary, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "line protocol" in line:
                self.tcp_port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                break

    def count(self):
        return ask(self.port, "select count(*) as n from cpu")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


class Questdb:
    name = "questdb"

    def __init__(self, class_path):
        self.folder = tempfile.TemporaryDirectory(prefix="questdb_lines_")
        self.port, self.tcp_port = free_port(), free_port()
        os.makedirs(self.folder.name + "/conf")
        Path(self.folder.name + "/conf/server.conf").write_text(
            f"http.bind.to=127.0.0.1:{self.port}\nline.tcp.net.bind.to=127.0.0.1:{self.tcp_port}\nhttp.min.enabled=false\npg.enabled=false\ntelemetry.enabled=false\nline.udp.enabled=false\n"
            "line.default.partition.by=DAY\nmetrics.enabled=false\n")
        self.process = subprocess.Popen(["java", "-Xmx4g", "-XX:+UseParallelGC", "--add-exports", "java.base/jdk.internal.math=ALL-UNNAMED", "-cp", class_path, "io.questdb.ServerMain", "-d", self.folder.name],
                                        stdout=open(self.folder.name + "/log", "w"), stderr=subprocess.STDOUT)
        for _ in range(300):
            try:
                ask(self.port, "select 1")
                return
            except (OSError, ValueError, KeyError, IndexError):
                time.sleep(0.1)
        raise RuntimeError(Path(self.folder.name + "/log").read_text()[-2000:])

    def count(self):
        return ask(self.port, "select count(*) n from cpu")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def ask(port, query):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/exec?" + urllib.parse.urlencode({"query": query}))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["dataset"][0][0] if "dataset" in answer else 0


def post_all(port, requests, start):
    stream = socket.create_connection(("127.0.0.1", port))
    start.wait()
    for request in requests:
        stream.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += stream.recv(65536)
        if b" 204 " not in answer.split(b"\r\n")[0]:
            raise RuntimeError(answer)


def send_all(port, chunks, start):
    stream = socket.create_connection(("127.0.0.1", port))
    start.wait()
    for chunk in chunks:
        stream.sendall(chunk)
    stream.shutdown(socket.SHUT_WR)
    stream.close()


def rate_of(server, target, port, parts, rows, waits):
    """Rows a second from the first byte until all are acknowledged, or seen by a query."""
    start = multiprocessing.Barrier(len(parts) + 1)
    senders = [multiprocessing.Process(target=target, args=(port, part, start)) for part in parts]
    for sender in senders:
        sender.start()
    start.wait()
    begin = time.perf_counter()
    for sender in senders:
        sender.join()
        if sender.exitcode:
            raise RuntimeError("a sender failed")
    if not waits:
        seconds = time.perf_counter() - begin
        while server.count() < rows:
            time.sleep(0.01)
        return rows / seconds
    while server.count() < rows:
        time.sleep(0.01)
    return rows / (time.perf_counter() - begin)


def build_and_send(port, rows, start):
    """QuestDB's Sender, which formats each row itself."""
    from questdb.ingress import Sender, TimestampNanos
    parsed = []
    for line in rows[:HOSTS]:
        prefix, _, _ = line.split(" ")
        parsed.append(dict(pair.split("=") for pair in prefix.split(",")[1:]))
    start.wait()
    with Sender.from_conf(f"http::addr=127.0.0.1:{port};auto_flush_rows={BATCH};auto_flush_interval=off;") as sender:
        for i in range(len(rows)):
            sender.row("cpu", symbols=parsed[i % HOSTS], columns={"usage_" + name: (i * 7 + k) % 101 for k, name in enumerate(FIELDS)}, at=TimestampNanos(START + i // HOSTS * STEP))


def request_of(body):
    return f"POST /write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def measure(make, lines, order):
    """{name: rows/s}, each on an empty server."""
    figures = {}
    batches = ["".join(lines[i:i + BATCH]).encode() for i in range(0, len(lines), BATCH)]
    for clients in (1, 2, 4):
        server = make()
        try:
            requests = [request_of(batch) for batch in batches]
            figures[f"HTTP, {clients} connections, {order}"] = rate_of(server, post_all, server.port, [requests[i::clients] for i in range(clients)], len(lines), server.name == "questdb")
        finally:
            server.stop()
    for clients in (1, 2):
        server = make()
        try:
            figures[f"TCP, {clients} connections, {order}"] = rate_of(server, send_all, server.tcp_port, [batches[i::clients] for i in range(clients)], len(lines), True)
        finally:
            server.stop()
    if order == "in order":
        server = make()
        try:
            few = lines[:len(lines) // 4]
            figures["questdb's Sender, 1 connection, in order"] = rate_of(server, build_and_send, server.port, [few], len(few), server.name == "questdb")
        except ImportError:
            pass
        finally:
            server.stop()
    return figures


def copy_rate(lines):
    """Rows a second that a copy of their bytes in memory takes."""
    whole = "".join(lines).encode()
    best = min(timed_copy(whole) for _ in range(3))
    return len(lines) / best


def timed_copy(whole):
    begin = time.perf_counter()
    bytearray(whole)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pelorus", nargs="?", default=str(ROOT / "build/release/pelorus"))
    parser.add_argument("rows", nargs="?", type=int, default=1_440_000)
    options = parser.parse_args()
    class_path = os.environ.get("QUESTDB_CP", "")
    ordered = lines_of(options.rows)
    print(f"{options.rows} rows, {sum(map(len, ordered)) / len(ordered):.0f} bytes each; rows/s", flush=True)
    best = {}
    for order, lines in (("in order", ordered), ("shuffled", shuffled(ordered))):
        ours = measure(lambda: Pelorus(options.pelorus), lines, order)
        peers = measure(lambda: Questdb(class_path), lines, order) if class_path else {}
        for what, rate in ours.items():
            best[order] = max(best.get(order, 0), rate)
            beside = f"   questdb {peers[what]:11,.0f}   ratio {rate / peers[what]:.2f}" if what in peers else ""
            print(f"{what:44} {rate:11,.0f}{beside}", flush=True)
    print(f"{'shuffled beside in order, the best of each':44} {best['shuffled'] / best['in order']:11.2f}")
    print(f"{'a copy of the bytes in memory':44} {copy_rate(ordered):11,.0f}")


if __name__ == "__main__":
    main()
