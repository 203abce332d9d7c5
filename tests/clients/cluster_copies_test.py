#!/usr/bin/env python3
"""A cluster whose database has one copy of each partition: it gets a second one while it is written to, a node dies, the
database is dropped, and the node comes back."""
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from cluster_test import Cluster, error_of, eventually, flip

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from cases import run_cases, tally  # noqa: E402

DATABASE = "dfs://COPIES"
PARTITIONS = 6
T = f'loadTable("{DATABASE}", "t")'
BANK = f'loadTable("{DATABASE}", "bank")'
STATUS = f'select chunkId, file, replicas, replicaCount, state from getClusterChunksStatus() where file like "/COPIES/%"'

MAKE = f"""
    if(existsDatabase("{DATABASE}")) {{ dropDatabase("{DATABASE}") }}
    db = database("{DATABASE}", VALUE, 0..{PARTITIONS - 1})
    createPartitionedTable(db, table(1:0, `part`id, [INT, LONG]), `t, `part)
    createPartitionedTable(db, table(1:0, `part`amount, [INT, LONG]), `bank, `part)
    {T}.append!(table((0..29999) % {PARTITIONS} as part, 0l + 0..29999 as id))
    {BANK}.append!(table(0..{PARTITIONS - 1} as part, take(1000l, {PARTITIONS}) as amount))
"""


def nodes_of(replicas):
    return [replica.split(":")[0] for replica in replicas.split(",")]


def statuses(session):
    found = session.run(STATUS)
    return {str(row.chunkId): (nodes_of(row.replicas), row.replicaCount, row.state) for row in found.itertuples()}


def ids(chunks):
    return "[" + ",".join(f'"{chunk}"' for chunk in chunks) + "]"


def await_copies(session, count):
    eventually(lambda: all(n == count and state != "RECOVERING" for _, n, state in statuses(session).values()), 60)


class Traffic:
    """Clients of all nodes that append rows and move amounts, and one that reads the total."""

    def __init__(self, cluster):
        self.stop, self.failures, self.stored, self.moved = threading.Event(), [], [], []
        self.threads = [threading.Thread(target=self.write, args=(cluster, node, i)) for i, node in enumerate(cluster.ports)]
        self.threads += [threading.Thread(target=self.move, args=(cluster, "node2", 7)),
                         threading.Thread(target=self.read, args=(cluster, "node3"))]
        for thread in self.threads:
            thread.start()

    def write(self, cluster, node, seed):
        session, number = cluster.session(node), 10 ** 9 * (seed + 1)
        while not self.stop.is_set():
            number += 1
            try:
                session.run(f"tableInsert({T}, table(0..{PARTITIONS - 1} as part, take({number}l, {PARTITIONS}) as id))")
                self.stored.append(number)
            except Exception as error:
                self.failures.append(str(error))
                return

    def move(self, cluster, node, seed):
        session, chance = cluster.session(node), random.Random(seed)
        while not self.stop.is_set():
            one, other = chance.sample(range(PARTITIONS), 2)
            try:
                session.run(f"update {BANK} set amount = iif(part = {one}, amount - 1, amount + 1) "
                            f"where part in [{one}, {other}]")
                self.moved.append((one, other))
            except Exception as error:
                self.failures.append(str(error))
                return

    def read(self, cluster, node):
        session = cluster.session(node)
        while not self.stop.is_set():
            try:
                total = session.run(f"exec sum(amount) from {BANK}")
                if total != 1000 * PARTITIONS:
                    self.failures.append(f"the total is {total}")
                    return
            except Exception as error:
                if "Run the query again" not in str(error):
                    self.failures.append(str(error))
                    return

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(60)
        assert not self.failures, self.failures[:3]
        assert len(self.stored) > 10 and len(self.moved) > 10, (len(self.stored), len(self.moved))


def check(session, stored):
    found = session.run(f"select count(*) as n from {T} where id >= 1000000000 group by id")
    counts = dict(zip(found["id"].tolist(), found["n"].tolist()))
    assert set(counts) == set(stored) and set(counts.values()) == {PARTITIONS}, len(counts)
    assert session.run(f"exec count(*) from {T} where id < 1000000000") == 30000
    assert session.run(f"exec sum(amount) from {BANK}") == 1000 * PARTITIONS


def a_second_copy_is_made_while_rows_come_and_change(cluster):
    a = cluster.session("node1")
    a.run(MAKE)
    chunks = statuses(a)
    assert len(chunks) == 2 * PARTITIONS and all(n == 1 for _, n, _ in chunks.values()), chunks
    traffic = Traffic(cluster)
    time.sleep(1)
    names = list(cluster.ports)
    for chunk, (nodes, _, _) in chunks.items():
        a.run(f'copyReplicas("{nodes[0]}", "{names[(names.index(nodes[0]) + 1) % 3]}", "{chunk}")')
    await_copies(a, 2)
    time.sleep(1)
    traffic.end()
    check(a, traffic.stored)
    # Each copy alone.
    for node in names:
        other = names[(names.index(node) + 1) % 3]
        cluster.signal(node, signal.SIGKILL)
        check(cluster.session(other), traffic.stored)
        cluster.run("up")
        eventually(lambda: list(cluster.session(other).run("getSyncStates()")["state"]) == ["in sync"] * 3, 60)


def copies_move_and_go_while_rows_come_and_change(cluster):
    """It has two copies from the test before."""
    a = cluster.session("node1")
    before = a.run(f"exec count(*) from {T}")
    names = list(cluster.ports)
    traffic = Traffic(cluster)
    for chunk, (nodes, _, _) in statuses(a).items():
        third = next(name for name in names if name not in nodes)
        a.run(f'moveReplicas("{nodes[0]}", "{third}", "{chunk}")')
    eventually(lambda: all(state != "RECOVERING" for _, _, state in statuses(a).values()), 60)
    for chunk, (nodes, _, _) in statuses(a).items():
        if len(nodes) == 2:
            a.run(f'deleteReplicas("{chunk}", "{nodes[1]}")')
    await_copies(a, 1)
    time.sleep(0.5)
    traffic.end()
    assert a.run(f"exec count(*) from {T}") == before + PARTITIONS * len(traffic.stored)
    chunk, (nodes, _, _) = next(iter(statuses(a).items()))
    text, _ = error_of(lambda: a.run(f'deleteReplicas("{chunk}", "{nodes[0]}")'))
    assert "would keep a copy" in text, text
    text, _ = error_of(lambda: a.run(f'copyReplicas("{nodes[0]}", "nobody", "{chunk}")'))
    assert "There is no node nobody" in text, text
    other = next(name for name in names if name != nodes[0])
    text, _ = error_of(lambda: a.run(f'copyReplicas("{other}", "{nodes[0]}", "{chunk}")'))
    assert "keeps no copy" in text, text
    text, _ = error_of(lambda: a.run(f'copyReplicas("{nodes[0]}", "{other}", "{"0" * 8}-0000-0000-0000-{"0" * 12}")'))
    assert "There is no chunk" in text, text


def a_database_is_dropped_while_a_node_with_its_rows_is_away(cluster):
    a = cluster.session("node1")
    chunks = statuses(a)
    assert any("node2" in nodes for nodes, _, _ in chunks.values())
    cluster.signal("node2", signal.SIGKILL)
    a.run(f'dropDatabase("{DATABASE}")')
    assert not a.run(f'existsDatabase("{DATABASE}")')
    cluster.run("up")
    eventually(lambda: list(a.run("getSyncStates()")["state"]) == ["in sync"] * 3, 60)
    for node in cluster.ports:
        session = cluster.session(node)
        assert not session.run(f'existsDatabase("{DATABASE}")')
        # The rows are gone from the disk, not only from the catalog.
        eventually(lambda: session.run("exec count(*) from getChunksMeta()") == 0)
        assert session.run("exec count(*) from getQuarantine()") == 0
    a.run(MAKE)
    assert a.run(f"exec count(*) from {T}") == 30000


def a_node_that_alone_keeps_rows_does_not_start_with_a_damaged_log(cluster):
    a = cluster.session("node1")
    a.run(MAKE)
    folder = os.path.join(cluster.folder.name, "node3", "wal")
    cluster.signal("node3", signal.SIGKILL)
    path = os.path.join(folder, max(name for name in os.listdir(folder) if name.endswith(".wal")))
    flip(path)
    try:
        cluster.run("up")
        raise RuntimeError("it started")
    except AssertionError:
        assert "is damaged" in cluster.output, cluster.output
    flip(path)
    cluster.run("up")
    eventually(lambda: list(a.run("getSyncStates()")["state"]) == ["in sync"] * 3, 60)
    assert a.run(f"exec count(*) from {T}") == 30000


def what_is_away_keeps_nobody_from_the_rest(cluster):
    a = cluster.session("node1")
    a.run(MAKE)
    before = statuses(a)
    cluster.signal("node2", signal.SIGKILL)
    assert set(statuses(a)) == set(before)
    part = next(i for i in range(PARTITIONS) for chunk in [a.run(
        f'exec first(replicas) from getClusterChunksStatus() where file = "/COPIES/{i}"')] if nodes_of(chunk) != ["node2"])
    assert a.run(f"exec count(*) from {T} where part = {part}") == 30000 // PARTITIONS
    a.run(f'dropPartition(database("{DATABASE}"), {part}, `t)')
    assert a.run(f"exec count(*) from {T} where part = {part}") == 0
    text, _ = error_of(lambda: a.run(f"exec count(*) from {T}"))
    assert "node2" in text, text
    cluster.run("up")
    eventually(lambda: list(a.run("getSyncStates()")["state"]) == ["in sync"] * 3, 60)
    assert a.run(f"exec count(*) from {T}") == 30000 - 30000 // PARTITIONS


TESTS = [a_second_copy_is_made_while_rows_come_and_change, copies_move_and_go_while_rows_come_and_change,
         a_database_is_dropped_while_a_node_with_its_rows_is_away,
         a_node_that_alone_keeps_rows_does_not_start_with_a_damaged_log, what_is_away_keeps_nobody_from_the_rest]


def main():
    cluster = Cluster(os.path.abspath(sys.argv[1]))
    try:
        passed, failed = run_cases(TESTS, cluster)
    finally:
        cluster.end()
    return tally(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
