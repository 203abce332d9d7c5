#!/usr/bin/env python3
"""A cluster whose nodes and members of etcd have a network namespace each, so that any of them can be cut off from any other, in
one direction or both: one fault after the other, while clients append, move amounts and read at every node.

Checked are the histories: every acknowledged batch is there, whole; one that was refused never is; the total of the amounts is
the same in every snapshot; nobody sees less than was seen before; the copies are equal at the end. Told for each fault: what was
acknowledged, refused and unknown, violations, the longest silence of appends, updates and reads at the nodes that the fault
leaves healthy, their rate beside that before, and how long it took until all were in sync again.

    cluster_namespaces_test.py build/release/pelorus [part of a fault's name]
    PELORUS_NAMESPACES   run it: needs root, takes minutes (a stage of `make check-long`)
    PELORUS_SILENCE      longest silence in seconds that passes (default 10: machines are loaded)
    PELORUS_KEEP         keep the folder with the logs

It runs in a network and mount namespace of its own: nothing of it is seen outside, or left behind.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

SUPPORT = Path(__file__).resolve().parent.parent / "support"


def skip(why):
    print(f"SKIPPED: {why}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


if not os.environ.get("PELORUS_NAMESPACES"):
    skip("set PELORUS_NAMESPACES to run it, as root")
if os.geteuid() != 0:
    skip("namespaces need root")
for tool in ("ip", "unshare", "etcd", "gcc"):
    if shutil.which(tool) is None:
        skip(f"there is no {tool}")
try:
    import dolphindb  # noqa: F401
    import numpy  # noqa: F401
except ImportError as missing:
    skip(str(missing))
if os.environ.get("PELORUS_IN_NAMESPACE") != "1":
    os.environ["PELORUS_IN_NAMESPACE"] = "1"
    os.execvp("unshare", ["unshare", "--net", "--mount", sys.executable, os.path.abspath(__file__), *sys.argv[1:]])

sys.path[:0] = [str(Path(__file__).resolve().parent), str(SUPPORT)]
from cluster_faults_test import Ledger, check
from faulty_processes import Process, await_etcd, await_in_sync, log_in

PARTITIONS = 8
DATABASE = "dfs://namespaces"
PORT = 8848
SILENCE = float(os.environ.get("PELORUS_SILENCE", "10"))
BEFORE, DURING = 5.0, 12.0


def sh(*words, check=True, **options):
    return subprocess.run([str(word) for word in words], check=check, text=True, capture_output=True, **options)


class Host(Process):
    """A machine: a namespace with one address, and the process in it."""

    number = 0

    def __init__(self, name, command, log, environment=None):
        Host.number += 1
        super().__init__(name, ["ip", "netns", "exec", name, *command], log, environment)
        self.address = f"10.77.0.{Host.number}"
        self.mac = f"02:00:00:00:77:{Host.number:02x}"
        sh("ip", "netns", "add", name)
        sh("ip", "link", "add", f"v{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        sh("ip", "link", "set", f"v{name}", "master", "hub", "up")
        self.ip("link", "set", "lo", "up")
        self.ip("link", "set", "eth0", "address", self.mac, "up")
        self.ip("addr", "add", self.address + "/24", "dev", "eth0")

    def ip(self, *words):
        sh("ip", "-n", self.name, *words)

    def reach(self, other, reaches):
        """Packets for another host go to it, or to a card that nobody has: nobody is told."""
        mac = other.mac if reaches else "02:00:00:00:77:fe"
        self.ip("neigh", "replace", other.address, "lladdr", mac, "dev", "eth0", "nud", "permanent")


class Network:
    """Nodes and members of etcd on a bridge, on which this process has an address, too."""

    def __init__(self, pelorus, nodes, members, copies=2):
        Host.number = 0
        self.copies = copies
        self.folder = tempfile.mkdtemp(prefix="pelorus_namespaces_")
        sh("ip", "link", "add", "hub", "type", "bridge")
        sh("ip", "link", "set", "hub", "up")
        sh("ip", "addr", "add", "10.77.0.254/24", "dev", "hub")
        library = f"{self.folder}/disk.so"
        sh("gcc", "-shared", "-fPIC", "-O2", "-o", library, SUPPORT / "disk_that_refuses.c", "-ldl")
        self.members, self.nodes = [], []
        everybody = ",".join(f"m{i}=http://10.77.0.{i + 1}:2380" for i in range(members))
        for i in range(members):
            client, peer = f"http://10.77.0.{i + 1}:2379", f"http://10.77.0.{i + 1}:2380"
            self.members.append(Host(f"m{i}", [
                "etcd", "--name", f"m{i}", "--data-dir", f"{self.folder}/m{i}", "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", everybody, "--unsafe-no-fsync"], f"{self.folder}/m{i}.log"))
        endpoints = ",".join(f"{member.address}:2379" for member in self.members)
        for i in range(nodes):
            name, data, disk = f"n{i}", f"{self.folder}/n{i}", f"{self.folder}/n{i}.disk"
            os.mkdir(data)
            node = Host(name, [pelorus, "serve", "--config", f"{self.folder}/{name}.cfg"], f"{self.folder}/{name}.log",
                        {"LD_PRELOAD": library, "PELORUS_DISK": disk})
            with open(f"{self.folder}/{name}.cfg", "w") as file:
                file.write(f"host={node.address}\nport={PORT}\nalias={name}\ndataDir={data}\nadminPassword=123456\n"
                           f"etcdEndpoints={endpoints}\nclusterKey=a key of the nodes of this cluster\n"
                           f"dfsReplicationFactor={copies}\n")
            node.data, node.disk = data, disk
            self.nodes.append(node)
        self.heal_network()
        for member in self.members:
            member.start()
        await_etcd(f"{self.members[0].address}:2379")
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            self.connect(node, 60).close()

    def hosts(self):
        return self.members + self.nodes

    def heal_network(self):
        for one in self.hosts():
            for other in self.hosts():
                if one is not other:
                    one.reach(other, True)

    def cut(self, ones, others, both=True):
        for one in ones:
            for other in others:
                if one is other:
                    continue
                one.reach(other, False)
                if both:
                    other.reach(one, False)

    def tell_disk(self, node, what):
        with open(node.disk + ".new", "w") as file:
            file.write(what)
        os.rename(node.disk + ".new", node.disk)

    def connect(self, node, patience=5.0):
        return log_in(node, node.address, PORT, patience, 40)

    def heal(self):
        self.heal_network()
        for node in self.nodes:
            self.tell_disk(node, "")
        for host in self.hosts():
            host.send(signal.SIGCONT)
            if host.is_dead():
                host.kill()
                host.start()

    def states(self, node):
        session = self.connect(node, 3)
        try:
            return list(session.run("getSyncStates()")["state"])
        finally:
            session.close()

    def await_in_sync(self, patience=120):
        return await_in_sync(self.nodes, self.states, patience)

    def end(self, keep):
        for host in self.hosts():
            host.kill()
        for host in self.hosts():
            sh("ip", "netns", "del", host.name, check=False)
        sh("ip", "link", "del", "hub", check=False)
        if keep:
            print("The folder with the logs:", self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


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
KINDS = ("appends", "updates", "reads")


class Clock:
    """When each kind of statement succeeded last at each node, and the longest time without since `begin`."""

    def __init__(self):
        self.lock = threading.Lock()
        self.last, self.longest, self.count = {}, {}, {}

    def begin(self):
        with self.lock:
            now = time.monotonic()
            self.last = {key: now for key in self.last}
            self.longest, self.count = {}, {}

    def note(self, kind, node):
        now, key = time.monotonic(), (kind, node.name)
        with self.lock:
            if key in self.last:
                self.longest[key] = max(self.longest.get(key, 0), now - self.last[key])
            self.last[key] = now
            self.count[key] = self.count.get(key, 0) + 1

    def end(self, nodes, seconds):
        """The longest silence of each kind at these nodes up to now, and how many statements a second they made."""
        with self.lock:
            now = time.monotonic()
            names = {node.name for node in nodes}
            silence = {kind: 0.0 for kind in KINDS}
            for (kind, name), last in self.last.items():
                if name in names:
                    silence[kind] = max(silence[kind], self.longest.get((kind, name), 0), now - last)
            rate = sum(count for (kind, name), count in self.count.items() if name in names) / seconds
            return silence, rate


class Load:
    """A client of each kind at each node, until it is stopped."""

    def __init__(self, network, seed=1):
        self.network, self.ledger, self.clock, self.stop = network, Ledger(), Clock(), threading.Event()
        self.threads = []
        for i, node in enumerate(network.nodes):
            for work in (self.append, self.move, self.read):
                self.threads.append(threading.Thread(target=work, args=(node, seed * 100 + i), daemon=True))
        for thread in self.threads:
            thread.start()

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(60)

    def session(self, node, known):
        if known is None:
            known = self.network.connect(node, 0.5)
            known.run(APPEND)
        return known

    def append(self, node, seed):
        chance, session, ledger = random.Random(seed), None, self.ledger
        while not self.stop.is_set():
            try:
                session = self.session(node, session)
            except Exception:
                continue
            batch = ledger.number()
            parts = chance.sample(range(PARTITIONS), chance.choice([1, 2, 2, 3]))
            try:
                session.run(f"appendBatch({batch}l, [{', '.join(map(str, parts))}])")
                ledger.note(ledger.acknowledged, batch)
                self.clock.note("appends", node)
            except Exception as error:
                ledger.note(ledger.refused if "othing was written" in str(error) else ledger.unknown, batch)
                if os.environ.get("PELORUS_TELL"):
                    print(f"      {time.monotonic():.1f} {node.name} append: {str(error)[:200]}", flush=True)
                session = self.close(session)
            time.sleep(0.05)

    def close(self, session):
        try:
            session.close()
        except Exception:
            pass

    def move(self, node, seed):
        chance, session = random.Random(seed + 50), None
        while not self.stop.is_set():
            one, other = chance.sample(range(PARTITIONS), 2)
            try:
                session = self.session(node, session)
                session.run(f'update loadTable("{DATABASE}", "bank") set amount = iif(part = {one}, amount - 1, amount + 1) '
                            f"where part in [{one}, {other}]")
                self.clock.note("updates", node)
                self.ledger.moves += 1
            except Exception as error:
                if os.environ.get("PELORUS_TELL"):
                    print(f"      {time.monotonic():.1f} {node.name} update: {str(error)[:200]}", flush=True)
                session = self.close(session)
            time.sleep(0.2)

    def read(self, node, seed):
        seen, session, ledger = set(), None, self.ledger
        while not self.stop.is_set():
            try:
                session = self.session(node, session)
                acknowledged, refused = ledger.snapshot()
                found = session.run(BATCHES)
                total = session.run(TOTAL)
            except Exception as error:
                if os.environ.get("PELORUS_TELL"):
                    print(f"      {time.monotonic():.1f} {node.name} read: {str(error)[:200]}", flush=True)
                session = self.close(session)
                continue
            self.clock.note("reads", node)
            seen = check(found, ledger, acknowledged, refused, seen)
            if total != 1000 * PARTITIONS:
                ledger.violate(f"the total is {total}")
            ledger.reads += 1
            time.sleep(0.1)


# ---- faults: each begins, and returns the nodes that it leaves healthy. What it stops or cuts, `heal` brings back.

def pair(network, chance):
    one, other = chance.sample(network.nodes, 2)
    network.cut([one], [other])
    return [node for node in network.nodes if node not in (one, other)]


def one_way(network, chance):
    one, other = chance.sample(network.nodes, 2)
    network.cut([one], [other], both=False)
    return [node for node in network.nodes if node not in (one, other)]


def halves(network, chance):
    """The members of etcd are on neither side."""
    first = network.nodes[:len(network.nodes) // 2 + 1]
    network.cut(first, [node for node in network.nodes if node not in first])
    return first


def isolated(network, chance):
    node = chance.choice(network.nodes)
    network.cut([node], network.hosts())
    return [other for other in network.nodes if other is not node]


def from_the_others(network, chance):
    node = chance.choice(network.nodes)
    network.cut([node], network.nodes)
    return [other for other in network.nodes if other is not node]


def from_etcd(network, chance):
    node = chance.choice(network.nodes)
    network.cut([node], network.members)
    return [other for other in network.nodes if other is not node]


def flapping_with_kills(network, chance):
    one, other = chance.sample(network.nodes, 2)
    end = time.monotonic() + DURING - 1

    def flap():
        while time.monotonic() < end:
            network.cut([one], [other])
            time.sleep(chance.uniform(0.2, 1))
            one.reach(other, True)
            other.reach(one, True)
            if chance.random() < 0.3:
                other.kill()
                other.start()
            time.sleep(chance.uniform(0.2, 1))

    threading.Thread(target=flap, daemon=True).start()
    return [node for node in network.nodes if node not in (one, other)]


def killed(network, chance):
    node = chance.choice(network.nodes)
    node.kill()
    return [other for other in network.nodes if other is not node]


def stopped(network, chance):
    node = chance.choice(network.nodes)
    node.send(signal.SIGSTOP)
    return [other for other in network.nodes if other is not node]


def rolling_restarts(network, chance):
    def roll():
        for node in network.nodes:
            node.send(signal.SIGTERM)
            node.process.wait(30)
            node.start()
            network.connect(node, 30).close()

    threading.Thread(target=roll, daemon=True).start()
    return []


def lost_folder(network, chance):
    node = chance.choice(network.nodes)
    node.kill()
    shutil.rmtree(node.data)
    time.sleep(1)
    node.start()
    return [other for other in network.nodes if other is not node]


def lost_log(network, chance):
    node = chance.choice(network.nodes)
    node.kill()
    shutil.rmtree(node.data + "/wal")
    time.sleep(1)
    node.start()
    return [other for other in network.nodes if other is not node]


def refused_syncs(network, chance):
    node = chance.choice(network.nodes)
    network.tell_disk(node, "refuse")
    threading.Timer(2, lambda: network.tell_disk(node, "")).start()
    return [other for other in network.nodes if other is not node]


def slow_disk(network, chance):
    node = chance.choice(network.nodes)
    network.tell_disk(node, "slow 0.4")
    return [other for other in network.nodes if other is not node]


def etcd_paused(network, chance):
    network.members[0].send(signal.SIGSTOP)
    time.sleep(4)
    network.members[0].send(signal.SIGCONT)
    return network.nodes if len(network.members) > 1 else []


def etcd_killed(network, chance):
    network.members[0].kill()
    time.sleep(4)
    network.members[0].start()
    return network.nodes if len(network.members) > 1 else []


def ddl_and_moves(network, chance):
    end = time.monotonic() + DURING - 1

    def change():
        session, number = None, 0
        while time.monotonic() < end:
            try:
                session = session or network.connect(network.nodes[0])
                number += 1
                session.run(f'addColumn(loadTable("{DATABASE}", "t"), `c{number}, INT)')
                chunks = session.run(f'select chunkId, replicas from getClusterChunksStatus() where file like "/namespaces/%"')
                row = chunks.iloc[chance.randrange(len(chunks))]
                kept = [replica.split(":")[0] for replica in row.replicas.split(",")]
                others = [node.name for node in network.nodes if node.name not in kept]
                if others:
                    session.run(f'moveReplicas("{kept[0]}", "{chance.choice(others)}", "{row.chunkId}")')
                time.sleep(0.5)
            except Exception:
                session = None

    threading.Thread(target=change, daemon=True).start()
    return network.nodes


FAULTS = [pair, one_way, halves, isolated, from_the_others, from_etcd, killed, stopped, flapping_with_kills, rolling_restarts, lost_folder,
          lost_log, refused_syncs, slow_disk, etcd_paused, etcd_killed, ddl_and_moves]


def same_copies(network):
    """Each node in turn is missed: the others show the same rows."""
    whole = None
    for missed in network.nodes:
        other = network.nodes[(network.nodes.index(missed) + 1) % len(network.nodes)]
        missed.kill()
        deadline = time.monotonic() + 60
        while True:
            try:
                session = network.connect(other)
                rows = session.run(f'select part, batch from loadTable("{DATABASE}", "t") order by part, batch')
                bank = session.run(f'select * from loadTable("{DATABASE}", "bank") order by part')
                break
            except Exception:
                assert time.monotonic() < deadline, traceback.format_exc()
        assert bank["amount"].sum() == 1000 * PARTITIONS, bank
        if whole is not None:
            assert rows.equals(whole[0]) and bank.equals(whole[1]), f"the copies differ without {missed.name}"
        whole = rows, bank
        missed.start()
        network.await_in_sync()


def run(pelorus, faults):
    network = Network(pelorus, int(os.environ.get("PELORUS_NODES", "5")), int(os.environ.get("PELORUS_MEMBERS", "3")),
                      int(os.environ.get("PELORUS_COPIES", "2")))
    failed, keep = [], True
    chance = random.Random(int(os.environ.get("PELORUS_FAULTS_SEED", "1")))
    try:
        network.connect(network.nodes[0]).run(MAKE)
        network.await_in_sync()
        load = Load(network)
        for fault in faults:
            ledger = load.ledger
            time.sleep(1)
            counted = len(ledger.acknowledged), len(ledger.refused), len(ledger.unknown), len(ledger.violations)
            load.clock.begin()
            time.sleep(BEFORE)
            before = load.clock
            _, all_before = before.end(network.nodes, BEFORE)
            rates = {node.name: before.end([node], BEFORE)[1] for node in network.nodes}
            load.clock.begin()
            began = time.monotonic()
            healthy = fault(network, chance)
            time.sleep(max(0, DURING - (time.monotonic() - began)))
            silence, rate = load.clock.end(healthy, time.monotonic() - began)
            network.heal()
            in_sync = network.await_in_sync()
            told = [now - then for now, then in zip(map(len, (ledger.acknowledged, ledger.refused, ledger.unknown, ledger.violations)), counted)]
            share = rate / max(0.1, sum(rates[node.name] for node in healthy)) if healthy else float("nan")
            longest = max(silence.values()) if healthy else float("nan")
            print(f"{fault.__name__:20} {told[0]:5} acknowledged {told[1]:4} refused {told[2]:3} unknown {told[3]} violations, silence "
                  + " ".join(f"{silence[kind]:.1f} s {kind}" for kind in KINDS)
                  + f", {100 * share:.0f} % of the rate, in sync after {in_sync:.1f} s", flush=True)
            if told[3]:
                print("   ", ledger.violations[-3:])
                failed.append(fault.__name__)
            elif healthy and longest > SILENCE:
                print(f"    the silence is longer than {SILENCE} s")
                failed.append(fault.__name__)
            assert told[0] > 0, "nothing was acknowledged"
        load.end()
        assert load.ledger.reads > 10 and load.ledger.moves > 0
        final = network.connect(network.nodes[0]).run(BATCHES)
        check(final, load.ledger, *load.ledger.snapshot(), set())
        same_copies(network)
        assert not load.ledger.violations, load.ledger.violations[:5]
        keep = bool(failed)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        failed.append("the run")
    finally:
        network.end(keep or bool(os.environ.get("PELORUS_KEEP")))
    return failed


def main():
    sh("mount", "--make-rprivate", "/")
    os.makedirs("/run/netns", exist_ok=True)
    sh("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
    sh("ip", "link", "set", "lo", "up")
    wanted = sys.argv[2].split(",") if len(sys.argv) > 2 else [""]
    faults = [fault for fault in FAULTS if any(part in fault.__name__ for part in wanted)]
    failed = run(os.path.abspath(sys.argv[1]), faults)
    print(f"{len(faults) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
