#!/usr/bin/env python3
"""Four nodes and three members of etcd, two copies of each partition: processes are killed, stopped and cut off from
etcd while clients append, move amounts between partitions, make and drop databases, give partitions other nodes, and read. What is checked all the
time and at the end:

* every acknowledged batch is there, whole; one that ended with "Nothing was written" never is; one whose outcome the
  client does not know is there whole or not at all, at every snapshot;
* a reader that comes later sees no less; the total of the amounts is the same in every snapshot;
* a database that was dropped is gone, and one that was made has the rows that were acknowledged;
* after the last fault everything can be written again, and every node in turn can be missed: the copies are equal.

    cluster_faults_test.py build/release/pelorus
    PELORUS_FAULTS_SECONDS   how long faults go on (default 60)
    PELORUS_FAULTS_SEED      of the faults' order (default 1)
"""
import json
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from cases import run_cases, tally
from faulty_processes import Process, await_etcd, await_in_sync, log_in
from ports import free_port

try:
    import dolphindb  # noqa: F401
    import numpy
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

SECONDS = float(os.environ.get("PELORUS_FAULTS_SECONDS", "60"))
SEED = int(os.environ.get("PELORUS_FAULTS_SEED", "1"))
NODES, MEMBERS, PARTITIONS = 4, 3, 8
DATABASE = "dfs://faults"


class Relay:
    """Passes connections to a port on; while it is cut, nothing passes and nobody is told."""

    def __init__(self, target):
        self.target = target
        self.cut = threading.Event()
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 5)
        except OSError:
            client.close()
            return
        for a, b in ((client, server), (server, client)):
            threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    def pump(self, source, sink):
        try:
            while True:
                data = source.recv(1 << 16)
                while self.cut.is_set():
                    time.sleep(0.02)
                if not data:
                    break
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Setting:
    def __init__(self, pelorus):
        self.folder = tempfile.mkdtemp(prefix="pelorus_faults_")
        self.members, clients = [], []
        ports = [(free_port(), free_port()) for _ in range(MEMBERS)]
        everybody = ",".join(f"m{i}=http://127.0.0.1:{peer}" for i, (_, peer) in enumerate(ports))
        for i, (client, peer) in enumerate(ports):
            clients.append(client)
            client, peer = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
            self.members.append(Process(f"etcd m{i}", [
                "etcd", "--name", f"m{i}", "--data-dir", f"{self.folder}/m{i}", "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", everybody, "--unsafe-no-fsync"], f"{self.folder}/m{i}.log"))
        self.nodes, self.relays = [], []
        for i in range(NODES):
            relays = [Relay(port) for port in clients]
            endpoints = ",".join(f"127.0.0.1:{relay.port}" for relay in relays)
            settings = f"{self.folder}/n{i}.cfg"
            port = free_port()
            with open(settings, "w") as file:
                file.write(f"port={port}\nalias=n{i}\ndataDir={self.folder}/n{i}\nadminPassword=123456\n"
                           f"etcdEndpoints={endpoints}\nclusterKey=a key of the nodes of this cluster\n"
                           "dfsReplicationFactor=2\n")
            node = Process(f"n{i}", [pelorus, "serve", "--config", settings], f"{self.folder}/n{i}.log")
            node.port = port
            self.nodes.append(node)
            self.relays.append(relays)
        for member in self.members:
            member.start()
        await_etcd(f"127.0.0.1:{clients[0]}")
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            self.connect(node, 60).close()

    def connect(self, node, patience=5.0):
        return log_in(node, "127.0.0.1", node.port, patience, 15)

    def leader(self):
        """The member of etcd that leads, if one says so."""
        for member in self.members:
            client = member.arguments[member.arguments.index("--listen-client-urls") + 1]
            try:
                request = urllib.request.Request(client + "/v3/maintenance/status", b"{}")
                answer = json.load(urllib.request.urlopen(request, timeout=1))
                if answer["leader"] == answer["header"]["member_id"]:
                    return member
            except Exception:
                continue
        return self.members[0]

    def heal(self):
        for relays in self.relays:
            for relay in relays:
                relay.cut.clear()
        for process in self.members + self.nodes:
            process.send(signal.SIGCONT)
            if process.is_dead():
                process.kill()
                process.start()

    def states(self, node):
        session = self.connect(node)
        try:
            return list(session.run("getSyncStates()")["state"])
        finally:
            session.close()

    def await_in_sync(self, patience=90):
        await_in_sync(self.nodes, self.states, patience)

    def end(self, keep):
        for process in self.nodes + self.members:
            process.kill()
        if keep:
            print("The folder with the logs:", self.folder)
        else:
            shutil.rmtree(self.folder)


class Ledger:
    """What clients know of their batches."""

    def __init__(self):
        self.lock = threading.Lock()
        self.last = 0
        self.acknowledged, self.refused, self.unknown = set(), set(), set()
        self.violations = []
        self.reads = self.moves = self.drops = self.placings = 0

    def number(self):
        with self.lock:
            self.last += 1
            return self.last

    def note(self, where, batch):
        with self.lock:
            where.add(batch)

    def snapshot(self):
        with self.lock:
            return set(self.acknowledged), set(self.refused)

    def violate(self, text):
        with self.lock:
            self.violations.append(text)


MAKE = f"""
db = database("{DATABASE}", VALUE, 0..{PARTITIONS - 1})
createPartitionedTable(db, table(1:0, `part`batch`parts, [INT, LONG, INT]), `t, `part)
createPartitionedTable(db, table(1:0, `part`amount, [INT, LONG]), `bank, `part)
loadTable("{DATABASE}", "bank").append!(table(0..{PARTITIONS - 1} as part, take(1000l, {PARTITIONS}) as amount))
"""
TOTAL = f'exec sum(amount) from loadTable("{DATABASE}", "bank")'
APPEND = f"""
def appendBatch(b, parts) {{
    n = size(parts)
    return tableInsert(loadTable("{DATABASE}", "t"), table(parts as part, take(b, n) as batch, take(n, n) as parts))
}}
"""
BATCHES = f'select count(*) as n, min(parts) as parts from loadTable("{DATABASE}", "t") group by batch'
BY_JOB = (f'mr(sqlDS(<select * from loadTable("{DATABASE}", "t")>), '
          'def(t){ return select count(*) as n, min(parts) as parts from t group by batch }, '
          'def(a, b){ return select sum(n) as n, min(parts) as parts from unionAll(a, b) group by batch })')


def write(setting, ledger, stop, seed):
    chance = random.Random(seed)
    session = None
    while not stop.is_set():
        try:
            if session is None:
                session = setting.connect(chance.choice(setting.nodes), 1)
                session.run(APPEND)
        except Exception:
            session = None
            continue
        batch = ledger.number()
        parts = chance.sample(range(PARTITIONS), chance.choice([1, 2, 2, 3, PARTITIONS]))
        try:
            session.run(f"appendBatch({batch}l, {' '.join(map(str, parts))}{'' if len(parts) > 1 else '..' + str(parts[0])})")
            ledger.note(ledger.acknowledged, batch)
        except Exception as error:
            ledger.note(ledger.refused if "othing was written" in str(error) else ledger.unknown, batch)
            try:
                session.close()
            except Exception:
                pass
            session = None


def move(setting, ledger, stop, seed):
    """Moves amounts between partitions, which leaves the total as it is."""
    chance = random.Random(seed)
    session = None
    while not stop.is_set():
        one, other = chance.sample(range(PARTITIONS), 2)
        try:
            if session is None:
                session = setting.connect(chance.choice(setting.nodes), 1)
            session.run(f'update loadTable("{DATABASE}", "bank") set amount = iif(part = {one}, amount - 1, amount + 1) '
                        f"where part in [{one}, {other}]")
            ledger.moves += 1
        except Exception as error:
            if "ChunkInTransaction" not in str(error):
                session = None
        time.sleep(0.02)


def make_and_drop(setting, ledger, stop, seed):
    """Databases that come and go, of one client each."""
    chance = random.Random(seed)
    path, session, number, exists = f"dfs://passing{seed}", None, 0, None
    while not stop.is_set():
        try:
            if session is None:
                session = setting.connect(chance.choice(setting.nodes), 1)
            if exists is None:  # an answer was lost
                exists = bool(session.run(f'existsDatabase("{path}")'))
                if exists:
                    session.run(f'dropDatabase("{path}")')
                    exists = False
            exists = None
            number += 1
            session.run(f"""db = database("{path}", VALUE, 0..3)
                            createPartitionedTable(db, table(1:0, `part`n, [INT, LONG]), `t, `part)""")
            session.run(f"""loadTable("{path}", "t").append!(table(0..3 as part, take({number}l, 4) as n))""")
            found = list(session.run(f'exec n from loadTable("{path}", "t")'))
            if found != [number] * 4:
                ledger.violate(f"a new database holds {found}, not {number} four times")
            session.run(f'dropDatabase("{path}")')
            if session.run(f'existsDatabase("{path}")'):
                ledger.violate("a database that was dropped is there")
            exists = False
            ledger.drops += 1
        except Exception:
            session = None


def place(setting, ledger, stop, seed):
    """Gives partitions other nodes; the others take it as it comes."""
    chance = random.Random(seed)
    session = None
    while not stop.is_set():
        try:
            if session is None:
                session = setting.connect(chance.choice(setting.nodes), 1)
            chunks = session.run(f'select chunkId, replicas from getClusterChunksStatus() where file like "/faults/%"')
            row = chunks.iloc[chance.randrange(len(chunks))]
            kept = [replica.split(":")[0] for replica in row.replicas.split(",")]
            other = chance.choice([node.name for node in setting.nodes if node.name not in kept])
            if len(kept) > 2:
                session.run(f'deleteReplicas("{row.chunkId}", "{chance.choice(kept)}")')
            else:
                session.run(f'{chance.choice(["copy", "move"])}Replicas("{kept[0]}", "{other}", "{row.chunkId}")')
            ledger.placings += 1
        except Exception:
            session = None
        time.sleep(chance.uniform(0, 1))


def check(found, ledger, acknowledged, refused, seen):
    if len(found) == 0:
        found = {"batch": numpy.array([]), "n": numpy.array([]), "parts": numpy.array([])}  # a job over no partition
    batches = dict(zip(found["batch"].tolist(), zip(found["n"].tolist(), found["parts"].tolist())))
    partly = {b: n for b, n in batches.items() if n[0] != n[1]}
    if partly:
        ledger.violate(f"batches in part or twice: {dict(list(partly.items())[:5])}")
    missing = acknowledged - set(batches)
    if missing:
        ledger.violate(f"acknowledged and missing: {sorted(missing)[:5]}")
    there = refused & set(batches)
    if there:
        ledger.violate(f"refused and there: {sorted(there)[:5]}")
    if seen - set(batches):
        ledger.violate(f"seen before and gone: {sorted(seen - set(batches))[:5]}")
    return set(batches)


def read(setting, ledger, stop, seed):
    chance = random.Random(seed)
    seen = set()
    session = None
    while not stop.is_set():
        try:
            if session is None:
                session = setting.connect(chance.choice(setting.nodes), 1)
            acknowledged, refused = ledger.snapshot()
            found = session.run(BY_JOB if chance.random() < 0.2 else BATCHES)
            total = session.run(TOTAL)
        except Exception:
            session = None
            continue
        seen = check(found, ledger, acknowledged, refused, seen)
        if total != 1000 * PARTITIONS:
            ledger.violate(f"the total is {total}")
        ledger.reads += 1
        time.sleep(0.05)


def break_something(setting, chance):
    """One fault; it is over when the function returns."""
    kind = chance.choice(["kill", "kill", "stop", "cut", "two", "leader", "member", "stop member"])
    node = chance.choice(setting.nodes)
    lasting = chance.uniform(0.5, 5)
    print(f"    {kind}, {node.name}, {lasting:.1f} s", flush=True)
    if kind == "kill":
        node.kill()
        time.sleep(lasting)
    elif kind == "two":
        other = chance.choice([n for n in setting.nodes if n is not node])
        node.kill()
        time.sleep(chance.uniform(0, 2))
        other.send(chance.choice([signal.SIGKILL, signal.SIGSTOP]))
        time.sleep(lasting)
    elif kind == "stop":
        node.send(signal.SIGSTOP)
        time.sleep(lasting)
    elif kind == "cut":
        for relay in setting.relays[setting.nodes.index(node)]:
            relay.cut.set()
        time.sleep(lasting)
    else:
        member = setting.leader() if kind == "leader" else chance.choice(setting.members)
        if kind == "stop member":
            member.send(signal.SIGSTOP)
        else:
            member.kill()
        time.sleep(lasting)
    setting.heal()
    time.sleep(chance.uniform(0, 3))


def nothing_acknowledged_is_lost_and_nothing_is_there_by_half_while_processes_die(pelorus):
    setting = Setting(pelorus)
    failed = True
    try:
        setting.connect(setting.nodes[0]).run(MAKE)
        ledger, stop = Ledger(), threading.Event()
        chance = random.Random(SEED)
        threads = [threading.Thread(target=write, args=(setting, ledger, stop, SEED * 100 + i)) for i in range(3)]
        threads += [threading.Thread(target=read, args=(setting, ledger, stop, SEED * 100 + 50 + i)) for i in range(2)]
        threads += [threading.Thread(target=move, args=(setting, ledger, stop, SEED * 100 + 70 + i)) for i in range(2)]
        threads.append(threading.Thread(target=place, args=(setting, ledger, stop, SEED * 100 + 95)))
        threads.append(threading.Thread(target=make_and_drop, args=(setting, ledger, stop, SEED * 100 + 90)))
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline and not ledger.violations:
            break_something(setting, chance)
        setting.heal()
        setting.await_in_sync()
        stop.set()
        for thread in threads:
            thread.join(60)
        print(f"    {len(ledger.acknowledged)} acknowledged, {len(ledger.refused)} refused, {len(ledger.unknown)} unknown, "
              f"{ledger.moves} moves, {ledger.drops} databases made and dropped, "
              f"{ledger.placings} changes of places, {ledger.reads} reads", flush=True)
        assert not ledger.violations, ledger.violations[:5]
        assert len(ledger.acknowledged) > 10 and ledger.reads > 10 and ledger.moves > 10 and ledger.drops > 0
        assert ledger.placings > 0
        # Every partition has two copies at least, and no copying goes on.
        session, deadline = setting.connect(setting.nodes[0]), time.monotonic() + 90
        while True:
            states = session.run('select replicaCount, state from getClusterChunksStatus() where file like "/faults/%"')
            if all(states["replicaCount"] >= 2) and not any(states["state"] == "RECOVERING"):
                break
            assert time.monotonic() < deadline, states
            time.sleep(0.5)
        for node in setting.nodes:
            session = setting.connect(node)
            session.run(APPEND)
            batch = ledger.number()
            session.run(f"appendBatch({batch}l, 0..{PARTITIONS - 1})")
            ledger.note(ledger.acknowledged, batch)
        # Each copy alone: the rows are the same whichever node is missing.
        acknowledged, refused = ledger.snapshot()
        whole = None
        for missed in setting.nodes:
            other = setting.nodes[(setting.nodes.index(missed) + 1) % NODES]
            missed.kill()
            deadline = time.monotonic() + 60
            while True:
                try:
                    session = setting.connect(other)
                    rows = session.run(f'select * from loadTable("{DATABASE}", "t") order by part, batch')
                    bank = session.run(f'select * from loadTable("{DATABASE}", "bank") order by part')
                    break
                except Exception:
                    assert time.monotonic() < deadline, traceback.format_exc()
            found = session.run(BATCHES)
            check(found, ledger, acknowledged, refused, set())
            assert not ledger.violations, (missed.name, ledger.violations)
            assert bank["amount"].sum() == 1000 * PARTITIONS, bank
            if whole is not None:
                assert rows.equals(whole[0]) and bank.equals(whole[1]), f"the copies differ without {missed.name}"
            whole = rows, bank
            missed.start()
            setting.await_in_sync()
        failed = False
    finally:
        setting.end(keep=failed)


TESTS = [nothing_acknowledged_is_lost_and_nothing_is_there_by_half_while_processes_die]


def main():
    if shutil.which("etcd") is None:
        print("SKIPPED: there is no etcd")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    return tally(*run_cases(TESTS, os.path.abspath(sys.argv[1])))


if __name__ == "__main__":
    sys.exit(main())
