#!/usr/bin/env python3
"""Changes over the nodes of a cluster with two copies of each partition: update, delete, upsert!, truncate,
dropPartition, drops and changes of columns do what they do to a table in memory, also while a node is away, and on all
copies."""
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from cluster_test import Cluster, eventually, flip

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from cases import run_cases, tally  # noqa: E402

DATABASE = "dfs://CHANGES"
PARTITIONS = 6
T = f'loadTable("{DATABASE}", "t")'

MAKE = f"""
    path = "{DATABASE}"
    if(existsDatabase(path)) {{ dropDatabase(path) }}
    db = database(path, VALUE, 0..{PARTITIONS + 1})
    createPartitionedTable(db, table(1:0, `part`id`value`name, [INT, LONG, DOUBLE, STRING]), `t, `part)
    n = 3000
    rows = table((0..(n-1)) % {PARTITIONS} as part, 0l + 0..(n-1) as id, 1.5 * 0..(n-1) as value, string(0..(n-1)) as name)
    {T}.append!(rows)
"""

# Each as it is written for the table on the nodes, and for the one in memory.
CHANGES = [
    "update {} set value = value * 2 where part in [1, 3, 5], id > 10",
    "update {} set value = NULL, name = name + \"x\" where id % 11 = 5",
    "delete from {} where id % 7 = 3",
    "update {} set value = avg(value) context by part",
    "delete from {} where part = 2",
    "update {} set part = part + 1 where part = 4, id % 2 = 0",
    "delete from {} where value > (exec avg(value) from {})",
]
UPSERT = ("k = 0..400; rows = table(k % {P} as part, 0l + k * 5 as id, -1.0 * k as value, string(k) as name); "
          "upsert!({}, rows, false, `part`id)").replace("{P}", str(PARTITIONS))


class Replicated(Cluster):
    def run(self, verb, *options):
        return super().run(verb, *options, *(("--replicas", "2") if verb == "up" else ()))

    def await_in_sync(self, seconds=60):
        def are_in():
            try:
                return all(list(self.session(node).run("getSyncStates()")["state"]) == ["in sync"] * 3
                           for node in self.ports)
            except Exception:
                return False
        eventually(are_in, seconds)


def content(session, table):
    return session.run(f"select * from {table} order by part, id, name")


def missing_each(cluster, check):
    """Checks with each node away, so that each copy is read."""
    for node in list(cluster.ports):
        cluster.signal(node, signal.SIGKILL)
        check(next(other for other in cluster.ports if other != node))
        cluster.run("up")
        cluster.await_in_sync()


def changes_do_what_they_do_in_memory(cluster):
    sessions = [cluster.session(node) for node in cluster.ports]
    sessions[0].run(MAKE)
    memory = cluster.session()
    memory.run(f"m = select * from {T}")
    for i, change in enumerate(CHANGES):
        session = sessions[i % 3]
        session.run(change.format(T, T))
        memory.run(change.format("m", "m"))
        found, expected = content(sessions[(i + 1) % 3], T), content(memory, "m")
        assert found.equals(expected), (change, len(found), len(expected))
    sessions[1].run(UPSERT.replace("{}", T))
    memory.run(UPSERT.replace("{}", "m"))
    expected = content(memory, "m")
    for session in sessions:
        assert content(session, T).equals(expected), "upsert!"
    missing_each(cluster, lambda node: assert_equal(content(cluster.session(node), T), expected))


def assert_equal(found, expected):
    assert found.equals(expected), (len(found), len(expected))


def changes_go_on_while_a_node_is_away_and_it_has_them_when_it_is_back(cluster):
    sessions = {node: cluster.session(node) for node in cluster.ports}
    sessions["node1"].run(MAKE)
    sessions["node1"].run(f"m = select * from {T}")
    cluster.signal("node2", signal.SIGKILL)
    for i, change in enumerate(CHANGES):
        sessions["node3" if i % 2 else "node1"].run(change.format(T, T))
        sessions["node1"].run(change.format("m", "m"))
    sessions["node3"].run(f'dropPartition(database("{DATABASE}"), 1, `t)')
    sessions["node1"].run("delete from m where part = 1")
    expected = content(sessions["node1"], "m")
    assert_equal(content(sessions["node3"], T), expected)
    cluster.run("up")
    cluster.await_in_sync()
    missing_each(cluster, lambda node: assert_equal(content(cluster.session(node), T), expected))


def a_partition_a_table_and_a_database_are_dropped_with_a_node_away(cluster):
    a = cluster.session("node1")
    a.run(MAKE)
    a.run(f"""createPartitionedTable(database("{DATABASE}"), table(1:0, `part`id, [INT, LONG]), `u, `part)
              loadTable("{DATABASE}", "u").append!(table(0..{PARTITIONS - 1} as part, 0l + 0..{PARTITIONS - 1} as id))""")
    cluster.signal("node2", signal.SIGKILL)
    a.run(f'dropPartition(database("{DATABASE}"), 3, `t)')
    assert a.run(f"exec count(*) from {T} where part = 3") == 0
    a.run(f'truncate("{DATABASE}", `u)')
    assert a.run(f'exec count(*) from loadTable("{DATABASE}", "u")') == 0
    assert a.run(f'size(sqlDS(<select * from {T}>))') == PARTITIONS - 1
    assert a.run(f'size(sqlDS(<select * from loadTable("{DATABASE}", "u")>))') == 0
    cluster.run("up")
    cluster.await_in_sync()
    for node in cluster.ports:
        assert cluster.session(node).run(f'exec count(*) from loadTable("{DATABASE}", "u")') == 0
    cluster.signal("node3", signal.SIGKILL)
    a.run(f'dropTable(database("{DATABASE}"), `u)')
    a.run(f'dropDatabase("{DATABASE}")')
    assert not a.run(f'existsDatabase("{DATABASE}")')
    # The same name again, before the node that was away has removed the old rows.
    a.run(MAKE)
    assert a.run(f"exec count(*) from {T}") == 3000
    cluster.run("up")
    cluster.await_in_sync()
    for node in cluster.ports:
        assert cluster.session(node).run(f"exec count(*) from {T}") == 3000

def columns_change_beside_appends(cluster):
    """Each append is whole, with the columns that the table has when it is stored."""
    a = cluster.session("node1")
    a.run(MAKE)
    stop, failures, stored = threading.Event(), [], []

    def write(node, seed):
        session = cluster.session(node)
        chance = random.Random(seed)
        while not stop.is_set():
            part = chance.randrange(PARTITIONS)
            try:
                session.run(f'rows = table({part} as part, {100000 + seed}l as id, 1.0 as value, "w" as name); '
                            f"for(c in (schema({T}).colDefs.name)[4:]) {{ rows[c] = take(00f, 1) }}; "
                            f"tableInsert({T}, rows)")
                stored.append(1)
            except Exception as error:
                text = str(error)
                if "columns" not in text:  # it was added or dropped since the schema was read
                    failures.append(text)
                    return

    writers = [threading.Thread(target=write, args=(node, i)) for i, node in enumerate(cluster.ports)]
    for writer in writers:
        writer.start()
    b = cluster.session("node3")
    for i in range(6):
        b.run(f"addColumn({T}, `extra{i}, DOUBLE)")
        time.sleep(0.2)
        if i % 2:
            b.run(f"dropColumns!({T}, `extra{i})")
    stop.set()
    for writer in writers:
        writer.join(60)
    assert not failures, failures[:2]
    assert len(stored) > 10
    assert a.run(f"exec count(*) from {T}") == 3000 + len(stored)
    names = list(b.run(f"schema({T}).colDefs.name"))
    assert names[4:] == ["extra0", "extra2", "extra4"], names
    assert list(cluster.session("node2").run(f"schema({T}).colDefs.name")) == names


def concurrent_changes_lose_nothing(cluster):
    """Clients of all nodes move amounts between partitions: the total stays, at every snapshot."""
    a = cluster.session("node1")
    a.run(MAKE)
    a.run(f'dropDatabase("{DATABASE}")')
    a.run(f"""db = database("{DATABASE}", VALUE, 0..{PARTITIONS - 1})
              createPartitionedTable(db, table(1:0, `part`amount, [INT, LONG]), `t, `part)
              {T}.append!(table(0..{PARTITIONS - 1} as part, take(1000l, {PARTITIONS}) as amount))""")
    stop, failures, moved, conflicts = threading.Event(), [], [], []

    def move(node, seed):
        session = cluster.session(node)
        chance = random.Random(seed)
        while not stop.is_set():
            one, other = chance.sample(range(PARTITIONS), 2)
            try:
                session.run(f"update {T} set amount = iif(part = {one}, amount - 1, amount + 1) where part in [{one}, {other}]")
                moved.append((one, other))
            except Exception as error:
                if "ChunkInTransaction" not in str(error):
                    failures.append(str(error))
                    return
                conflicts.append(1)

    movers = [threading.Thread(target=move, args=(node, i)) for i, node in enumerate(cluster.ports)]
    for mover in movers:
        mover.start()
    reader = cluster.session("node2")
    deadline = time.monotonic() + 6
    while time.monotonic() < deadline:
        total = reader.run(f"exec sum(amount) from {T}")
        assert total == 1000 * PARTITIONS, total
    stop.set()
    for mover in movers:
        mover.join(60)
    assert not failures, failures[:2]
    assert len(moved) > 20, (len(moved), len(conflicts))
    expected = [1000] * PARTITIONS
    for one, other in moved:
        expected[one] -= 1
        expected[other] += 1
    assert list(a.run(f"exec amount from {T} order by part")) == expected
    print(f"    {len(moved)} moves, {len(conflicts)} conflicts", flush=True)


def a_node_with_a_damaged_log_copies_everything_anew(cluster):
    a = cluster.session("node1")
    a.run(MAKE)
    expected = content(a, T)
    folder = os.path.join(cluster.folder.name, "node2")
    for kind in ("wal", "checkpoint"):
        cluster.signal("node2", signal.SIGKILL)
        a.run(f'update {T} set value = 0.5 where part = 1')
        damage(os.path.join(folder, kind))
        cluster.run("up")
        cluster.await_in_sync()
        expected = content(a, T)
    assert sorted(os.listdir(os.path.join(folder, "damaged"))) == ["1", "2"]
    missing_each(cluster, lambda node: assert_equal(content(cluster.session(node), T), expected))


def damage(folder):
    """Flips a byte in the middle of the largest file; where there is none, a piece of another kind lies there."""
    files = sorted((os.path.getsize(os.path.join(folder, name)), name) for name in os.listdir(folder))
    if not files:
        with open(os.path.join(folder, "0000000000000001.state"), "wb") as file:
            file.write(b"no checkpoint")
        return
    flip(os.path.join(folder, files[-1][1]))


TESTS = [changes_do_what_they_do_in_memory, changes_go_on_while_a_node_is_away_and_it_has_them_when_it_is_back,
         a_partition_a_table_and_a_database_are_dropped_with_a_node_away, columns_change_beside_appends,
         concurrent_changes_lose_nothing, a_node_with_a_damaged_log_copies_everything_anew]


def main():
    cluster = Replicated(os.path.abspath(sys.argv[1]))
    try:
        passed, failed = run_cases(TESTS, cluster)
    finally:
        cluster.end()
    return tally(passed, failed)


if __name__ == "__main__":
    sys.exit(main())
